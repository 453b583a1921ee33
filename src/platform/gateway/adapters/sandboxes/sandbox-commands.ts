import { randomUUID } from 'node:crypto'
import { cutShortSentence, type Engine } from '../../../shared/domain/engine.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { openLimit } from '../../domain/sandbox/open-limit.ts'
import type { RunSandboxCommand, SandboxCommand, SandboxCommandEnd } from '../../domain/sandbox/sandbox.ts'
import { type Folder, pathOf } from '../../domain/sandbox/sandbox-path.ts'

/** Per workspace, because a command may take minutes. */
const maxConcurrent = 8

const diskMb = 2_048

export function sandboxCommands(engine: Engine): RunSandboxCommand {
  const take = openLimit(maxConcurrent, 'commands of this workspace are running')
  return async (command) => {
    if (command.kind === 'process') return end(engine, command)
    const release = take(command.workspace)
    return end(engine, command).finally(release)
  }
}

async function end(engine: Engine, command: SandboxCommand): Promise<SandboxCommandEnd> {
  const found = await run(engine, command)
  const { outcome, code, stdout, stderr } = found
  const ended = cutShortSentence(found, { ...command, diskMb })
  if (outcome === 'unavailable') throw new Failure('workload_unavailable', ended ?? '')
  return { stdout, stderr, ...(code !== undefined && { exitCode: code }), ...(ended && { ended }) }
}

const run = (engine: Engine, command: SandboxCommand) =>
  engine.run({
    id: `sandbox-${randomUUID()}`,
    command: ['/bin/sh', '-c', command.script],
    env: { ...command.env.reveal(), SANDBOX: command.sandbox, WORKSPACE: command.workspace },
    folders: command.folders.flatMap(mounted),
    workingFolder: command.workingFolder ?? (command.kept ? undefined : '/'),
    in: command.kept && { kept: command.kept },
    memoryMb: command.memoryMb,
    diskMb,
    timeoutSeconds: command.timeoutSeconds,
    stdin: '',
    door: command.door,
    onOutput: command.onOutput,
    signal: command.signal,
  })

/** The sandbox's own folder must come first: mounts are placed on top of it. */
const mounted = ({ at, folder, readOnly, maxMb }: Folder) =>
  folder === undefined ? [] : [{ source: folder, at: pathOf(at), writable: !readOnly, maxMb }]
