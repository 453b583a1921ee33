import { randomUUID } from 'node:crypto'
import { homeFolder } from '../../shared/adapters/confinement/bubblewrap.ts'
import type { Confinement } from '../../shared/adapters/confinement/confinement.ts'
import { cutShortSentence, runCommand } from '../../shared/adapters/confinement/run-command.ts'
import { programPath } from '../../shared/adapters/confinement/start-bubblewrap.ts'
import { unconfinedAccounts } from '../../shared/domain/account-door.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { RunSandboxCommand, SandboxCommand } from '../domain/sandbox/sandbox.ts'
import { type Folder, pathOf } from '../domain/sandbox/sandbox-path.ts'

/** Per workspace and process, because a command may take minutes. */
const maxConcurrent = 8

const diskMb = 2_048

export function confinedSandboxCommands(confinement: () => Promise<Confinement>): RunSandboxCommand {
  const running = new Map<string, number>()
  return async (command) => {
    const found = await confinement()
    if (found.kind === 'unavailable') throw new Failure('workload_unavailable', found.reason)
    if (command.door && found.kind === 'unconfined') throw new Failure('workload_unavailable', unconfinedAccounts)
    const count = running.get(command.workspace) ?? 0
    if (count >= maxConcurrent) {
      throw new Failure(
        'workload_unavailable',
        `${maxConcurrent} commands of this workspace are running, which is the maximum. Wait for one to end.`,
      )
    }
    running.set(command.workspace, count + 1)
    try {
      const end = await run(found, command)
      const { code, stdout, stderr } = end
      const ended = cutShortSentence(end, { ...command, diskMb })
      return { stdout, stderr, ...(code !== undefined && { exitCode: code }), ...(ended && { ended }) }
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
      env: {
        ...command.env.reveal(),
        PATH: programPath,
        HOME: homeFolder,
        SANDBOX: command.sandbox,
        WORKSPACE: command.workspace,
      },
      folders: command.folders.flatMap(mounted),
      workingFolder: '/',
      memoryMb: command.memoryMb,
      door: command.door,
    },
    stdin: '',
    timeoutSeconds: command.timeoutSeconds,
    diskMb,
    signal: command.signal,
  })

/** The sandbox's own folder must come first: mounts are placed on top of it. */
const mounted = ({ at, folder, readOnly, maxMb }: Folder) =>
  folder === undefined ? [] : [{ source: folder, at: pathOf(at), writable: !readOnly, maxMb }]
