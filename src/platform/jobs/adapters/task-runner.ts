import { isAbsolute } from 'node:path'
import type { AccountDoor } from '../../shared/domain/account-door.ts'
import { cutShortSentence, type Engine, type Folder, type RunEnd } from '../../shared/domain/engine.ts'
import { type LeasedTask, type RunTask, runId, type TaskEnd } from '../domain/ports.ts'

export type Command = {
  command: string[]
  cwd?: string | undefined
  folders: ReadonlyArray<{ path: string; writable: boolean }>
}

type Parts = {
  commandFor(image: string): Command | undefined
  isEcho(image: string): boolean
  isContainer(image: string): boolean
  engine: Engine
  openAccounts(task: LeasedTask): Promise<AccountDoor | undefined>
}

/** Runs one process per task, with the arguments on stdin and in TASK. Echo needs no process. */
export const taskRunner =
  ({ commandFor, isEcho, isContainer, engine, openAccounts }: Parts): RunTask =>
  async (task, signal) => {
    const command = commandFor(task.image)
    if (command) {
      const door = await openAccounts(task)
      return runTask(engine, command, { ...task, door }, signal).finally(() => door?.close())
    }
    if (isContainer(task.image))
      return runTask(engine, { command: [], folders: [] }, { ...task, door: undefined }, signal)
    if (isEcho(task.image)) return { state: 'succeeded', reason: 'Echoed.', output: JSON.stringify(task.arguments) }
    // The image may have been removed from the runtimes file, or this machine has another file.
    return failed(`No command for the image ${task.image} is registered on this machine.`)
  }

const failed = (reason: string): TaskEnd => ({ state: 'failed', reason, output: '' })

/** Limit for all writable folders. Other files are in memory and lost when the task ends. */
const maxDiskMb = 10_240

async function runTask(
  engine: Engine,
  { command, cwd, folders }: Command,
  { door, ...task }: LeasedTask & { door: AccountDoor | undefined },
  signal: AbortSignal,
) {
  const text = JSON.stringify(task.arguments)
  const seen: Folder[] = [
    ...[cwd ?? '', command[0] ?? ''].filter(isAbsolute).map((path) => ({ path, writable: false })),
    ...folders,
  ].map(({ path, writable }) => ({ source: path, at: path, writable }))
  const end = await engine.run({
    id: runId(task),
    in: command.length === 0 ? { image: task.image } : undefined,
    command,
    env: environmentOf(task, text),
    folders: seen,
    temporary: task.secrets.reveal().temporary,
    workingFolder: cwd,
    memoryMb: task.memoryMb,
    diskMb: maxDiskMb,
    timeoutSeconds: task.timeoutSeconds,
    stdin: text,
    door,
    signal,
  })
  return toTaskEnd(end, task)
}

function toTaskEnd(end: RunEnd, { timeoutSeconds, memoryMb }: LeasedTask): TaskEnd {
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
  ...(Buffer.byteLength(text) <= maxVariableBytes && { TASK: text }),
  TASK_INDEX: String(task.index),
  TASK_ATTEMPT: String(task.attempt),
  EXECUTION_ID: task.executionId,
  JOB: task.job,
  WORKSPACE: task.workspace,
})
