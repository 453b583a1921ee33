import { z } from 'zod'
import { answered } from '../../domain/mcp.ts'
import { type SandboxProcess, type SandboxProcesses, startedProcess } from '../../domain/sandbox/process.ts'
import type { OpenSandbox } from '../../domain/sandbox/sandbox.ts'
import { findProcess, readLogs } from './read-processes.ts'
import type { RunProcesses } from './run-processes.ts'
import type { ToolTable } from './sandbox-tools.ts'

type Ports = { processes: SandboxProcesses; runningProcesses: RunProcesses }

const { command, name, workingDir } = startedProcess

const Start = z.object({ command, name, working_directory: workingDir })

const startSchema = {
  type: 'object' as const,
  properties: {
    command: { type: 'string', description: 'A POSIX shell command. It runs for at most a day.' },
    name: { type: 'string', description: 'Names the process in other calls, instead of its ID.' },
    working_directory: { type: 'string', description: 'Absolute path in the sandbox' },
  },
  required: ['command'],
  additionalProperties: false,
}

const Named = z.object({ process: z.string() })

const namedSchema = {
  type: 'object' as const,
  properties: { process: { type: 'string', description: 'ID or name of the process' } },
  required: ['process'],
  additionalProperties: false,
}

const maxLogLength = 64 * 1024

/** For commands that keep running after the call, such as servers. */
export function processTools(ports: Ports, workspace: string, opened: OpenSandbox): ToolTable {
  const { processes, runningProcesses } = ports
  const { id } = opened.sandbox
  const found = async (args: unknown) => findProcess(ports, id, Named.parse(args).process)
  return {
    start_process: {
      description: 'Starts a shell command that goes on after the call, and returns the ID of its process.',
      inputSchema: startSchema,
      run: async (args) => {
        const { command, name, working_directory: workingDir } = Start.parse(args)
        const input = { ...defaults, command, name, workingDir }
        return answered(JSON.stringify({ process: (await runningProcesses.start(workspace, opened, input)).pid }))
      },
    },
    list_processes: {
      description: 'Lists the processes of the sandbox, also those that have ended within the last day.',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      run: async () => answered(JSON.stringify((await processes.list(id)).map(shown))),
    },
    read_process: {
      description: 'Returns the state of a process and the end of its outputs.',
      inputSchema: namedSchema,
      run: async (args) => {
        const process = await found(args)
        const { logs } = await readLogs(ports, process)
        return answered(JSON.stringify({ ...shown(process), output: logs.slice(-maxLogLength) }))
      },
    },
    stop_process: {
      description: 'Ends a process and everything that it started.',
      inputSchema: namedSchema,
      run: async (args) => {
        await runningProcesses.stop(await found(args), 'stopped')
        return answered('Done.')
      },
    },
  }
}

const defaults = { env: {}, waitForCompletion: false, waitForPorts: [], keepAlive: false, restartOnFailure: false }

const shown = ({ pid, name, command, state, exitCode }: SandboxProcess) => ({
  process: pid,
  name,
  command,
  status: state,
  ...(exitCode !== undefined && { exitCode }),
})
