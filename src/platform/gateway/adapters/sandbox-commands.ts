import { randomUUID } from 'node:crypto'
import { homeFolder } from '../../shared/adapters/confinement/bubblewrap.ts'
import type { Confinement } from '../../shared/adapters/confinement/confinement.ts'
import { type CommandEnd, cutShortSentence, runCommand } from '../../shared/adapters/confinement/run-command.ts'
import { programPath } from '../../shared/adapters/confinement/start-bubblewrap.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { RunSandboxCommand, SandboxCommand } from '../domain/sandbox/sandbox.ts'
import { type Folder, pathOf } from '../domain/sandbox/sandbox-path.ts'

/** Of one workspace in one process: a command may take minutes, and others wait for nobody else's. */
const mostAtATime = 8

/** Of the sandbox's own folder and what is mounted in it, together. */
const diskMb = 2_048

export function confinedSandboxCommands(confinement: () => Promise<Confinement>): RunSandboxCommand {
  const running = new Map<string, number>()
  return async (command) => {
    const found = await confinement()
    if (found.kind === 'unavailable') throw new Failure('workload_unavailable', found.reason)
    const atATime = running.get(command.workspace) ?? 0
    if (atATime >= mostAtATime) {
      throw new Failure(
        'workload_unavailable',
        `${mostAtATime} commands of this workspace run already: wait for one of them.`,
      )
    }
    running.set(command.workspace, atATime + 1)
    try {
      return described(await run(found, command), command)
    } finally {
      const left = (running.get(command.workspace) ?? 1) - 1
      if (left > 0) running.set(command.workspace, left)
      else running.delete(command.workspace)
    }
  }
}

const run = (confinement: Exclude<Confinement, { kind: 'unavailable' }>, command: SandboxCommand) =>
  runCommand(confinement, {
    id: `sandbox-${randomUUID()}`,
    confined: {
      command: ['/bin/sh', '-c', command.script],
      env: { PATH: programPath, HOME: homeFolder, SANDBOX: command.sandbox, WORKSPACE: command.workspace },
      folders: command.folders.flatMap(mounted),
      workingFolder: homeFolder,
      memoryMb: command.memoryMb,
    },
    stdin: '',
    timeoutSeconds: command.timeoutSeconds,
    diskMb,
    signal: command.signal,
  })

/** The sandbox's own folder comes first, and what is mounted in it stands over it. */
const mounted = ({ at, folder, readOnly }: Folder) =>
  folder === undefined
    ? []
    : [{ source: folder, at: `${homeFolder}${at.length > 0 ? pathOf(at) : ''}`, writable: !readOnly }]

function described(end: CommandEnd, { memoryMb, timeoutSeconds }: SandboxCommand) {
  const ended = cutShortSentence(end, { timeoutSeconds, memoryMb, diskMb })
  const { code, stdout, stderr } = end
  return { stdout, stderr, ...(code !== undefined && { exitCode: code }), ...(ended && { ended }) }
}
