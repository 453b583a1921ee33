import { isAbsolute } from 'node:path'
import { type Folder, homeFolder } from '../../shared/adapters/confinement/bubblewrap.ts'
import type { Confinement } from '../../shared/adapters/confinement/confinement.ts'
import { type CommandEnd, cutShortSentence, runCommand } from '../../shared/adapters/confinement/run-command.ts'
import { programPath } from '../../shared/adapters/confinement/start-bubblewrap.ts'
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
}

/** One process for each task, with its arguments on stdin and in TASK. The echo needs no process. */
export const taskRunner =
  ({ commandFor, isEcho, confinement }: Parts): RunTask =>
  async (task, signal) => {
    const command = commandFor(task.image)
    if (command) return runTask(await confinement(), command, task, signal)
    if (isEcho(task.image)) return { state: 'succeeded', reason: 'Echoed.', output: JSON.stringify(task.arguments) }
    // A job may outlive the entry of its image, and another machine may have another runtimes file.
    return failed(`No command for the image ${task.image} is registered on this machine.`)
  }

const failed = (reason: string, output = ''): TaskEnd => ({ state: 'failed', reason, output })

/** Of all that the operator lets a command write; what a task leaves elsewhere is memory, and gone when it ends. */
const diskMb = 10_240

async function runTask(
  confinement: Confinement,
  { command, cwd, folders }: Command,
  task: LeasedTask,
  signal: AbortSignal,
) {
  if (confinement.kind === 'unavailable') return failed(confinement.reason)
  const text = JSON.stringify(task.arguments)
  const seen: Folder[] = [
    ...[...(cwd ? [cwd] : []), ...command.filter(isAbsolute)].map((path) => ({ path, writable: false })),
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
    },
    stdin: text,
    timeoutSeconds: task.timeoutSeconds,
    diskMb,
    signal,
  })
  return toTaskEnd(end, task)
}

function toTaskEnd(end: CommandEnd, { timeoutSeconds, memoryMb }: LeasedTask): TaskEnd {
  const output = `${end.stdout}${end.stderr}`
  const cutShort = cutShortSentence(end, { timeoutSeconds, memoryMb, diskMb })
  if (cutShort === undefined)
    return { state: end.code === 0 ? 'succeeded' : 'failed', reason: `Exit code ${end.code}.`, output }
  return { state: end.outcome === 'timeout' ? 'timeout' : 'failed', reason: cutShort, output }
}

/** Linux takes 128 kB for one variable; arguments that are longer are on stdin alone. */
const longestVariable = 100_000

/** Nothing of the platform's own environment: it contains keys. */
const environmentOf = ({ secrets, ...task }: LeasedTask, text: string): Record<string, string> => ({
  ...secrets.reveal().env,
  PATH: programPath,
  HOME: homeFolder,
  ...(Buffer.byteLength(text) <= longestVariable && { TASK: text }),
  TASK_INDEX: String(task.index),
  TASK_ATTEMPT: String(task.attempt),
  EXECUTION_ID: task.executionId,
  JOB: task.job,
  WORKSPACE: task.workspace,
})
