import { isAbsolute } from 'node:path'
import { type Folder, homeFolder } from '../../shared/adapters/confinement/bubblewrap.ts'
import type { Confinement } from '../../shared/adapters/confinement/confinement.ts'
import { type CommandEnd, cutShortSentence, runCommand } from '../../shared/adapters/confinement/run-command.ts'
import { programPath } from '../../shared/adapters/confinement/start-bubblewrap.ts'
import { type AccountDoor, unconfinedAccounts } from '../../shared/domain/account-door.ts'
import type { LeasedTask, RunTask, TaskEnd } from '../domain/ports.ts'

export type Command = {
  command: string[]
  cwd?: string | undefined
  folders: ReadonlyArray<{ path: string; writable: boolean }>
}

type Parts = {
  commandFor(image: string): Command | undefined
  isEcho(image: string): boolean
  confinement(): Promise<Confinement>
  openAccounts(task: LeasedTask): Promise<AccountDoor | undefined>
}

/** Runs one process per task, with the arguments on stdin and in TASK. Echo needs no process. */
export const taskRunner =
  ({ commandFor, isEcho, confinement, openAccounts }: Parts): RunTask =>
  async (task, signal) => {
    const command = commandFor(task.image)
    if (command) {
      const door = await openAccounts(task)
      return runTask(await confinement(), command, { ...task, door }, signal).finally(() => door?.close())
    }
    if (isEcho(task.image)) return { state: 'succeeded', reason: 'Echoed.', output: JSON.stringify(task.arguments) }
    // The image may have been removed from the runtimes file, or this machine has another file.
    return failed(`No command for the image ${task.image} is registered on this machine.`)
  }

const failed = (reason: string, output = ''): TaskEnd => ({ state: 'failed', reason, output })

/** Limit for all writable folders. Other files are in memory and lost when the task ends. */
const maxDiskMb = 10_240

async function runTask(
  confinement: Confinement,
  { command, cwd, folders }: Command,
  { door, ...task }: LeasedTask & { door: AccountDoor | undefined },
  signal: AbortSignal,
) {
  if (confinement.kind === 'unavailable') return failed(confinement.reason)
  if (door && confinement.kind === 'unconfined') return failed(unconfinedAccounts)
  const text = JSON.stringify(task.arguments)
  const seen: Folder[] = [
    ...[cwd ?? '', command[0] ?? ''].filter(isAbsolute).map((path) => ({ path, writable: false })),
    ...folders,
  ].map(({ path, writable }) => ({ source: path, at: path, writable }))
  const end = await runCommand(confinement, {
    id: `task-${task.execution}-${task.index}-${task.attempt}`,
    confined: {
      command,
      env: environmentOf(task, text),
      folders: seen,
      workingFolder: cwd ?? homeFolder,
      memoryMb: task.memoryMb,
      door,
    },
    stdin: text,
    timeoutSeconds: task.timeoutSeconds,
    diskMb: maxDiskMb,
    signal,
  })
  return toTaskEnd(end, task)
}

function toTaskEnd(end: CommandEnd, { timeoutSeconds, memoryMb }: LeasedTask): TaskEnd {
  const output = `${end.stdout}${end.stderr}`
  const cutShort = cutShortSentence(end, { timeoutSeconds, memoryMb, diskMb: maxDiskMb })
  if (cutShort === undefined)
    return { state: end.code === 0 ? 'succeeded' : 'failed', reason: `Exit code ${end.code}.`, output }
  return { state: end.outcome === 'timeout' ? 'timeout' : 'failed', reason: cutShort, output }
}

/** Linux limits a variable to 128 kB. Longer arguments are only on stdin. */
const maxVariableBytes = 100_000

/** Excludes the platform's own environment, which contains keys. */
const environmentOf = ({ secrets, ...task }: LeasedTask, text: string): Record<string, string> => ({
  ...secrets.reveal().env,
  PATH: programPath,
  HOME: homeFolder,
  ...(Buffer.byteLength(text) <= maxVariableBytes && { TASK: text }),
  TASK_INDEX: String(task.index),
  TASK_ATTEMPT: String(task.attempt),
  EXECUTION_ID: task.executionId,
  JOB: task.job,
  WORKSPACE: task.workspace,
})
