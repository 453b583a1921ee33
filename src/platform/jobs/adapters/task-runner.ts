import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { LeasedTask, RunTask, TaskEnd } from '../domain/ports.ts'

export type Command = { command: string[]; cwd?: string | undefined }

/** What is kept of a task's output: its end. */
const keptOutput = 64 * 1024

/** A process that left the task's process group may keep its output open for so long after its end. */
const leftOpenMs = 1_000

/** One process for each task, with its arguments on stdin and in TASK. The echo needs no process. */
export const taskRunner =
  (commands: ReadonlyMap<string, Command>, echoImage: string): RunTask =>
  async (task, signal) => {
    const command = commands.get(task.image)
    if (command) return runCommand(command, task, signal)
    if (task.image === echoImage)
      return { state: 'succeeded', reason: 'Echoed.', output: JSON.stringify(task.arguments) }
    // A job may outlive the entry of its image, and another machine may have another runtimes file.
    return failed(`No command for the image ${task.image} is registered on this machine.`)
  }

const failed = (reason: string): TaskEnd => ({ state: 'failed', reason, output: '' })

async function runCommand(command: Command, task: LeasedTask, signal: AbortSignal): Promise<TaskEnd> {
  try {
    return await ended(start(command, task), task, signal)
  } catch {
    // Thrown at once where the system refuses the variables: too much of them, for example.
    return failed('The command could not be started.')
  }
}

function start({ command, cwd }: Command, task: LeasedTask): ChildProcessWithoutNullStreams {
  const text = JSON.stringify(task.arguments)
  // A group of its own, so that what the task started ends with it.
  const child = spawn('/bin/sh', ['-c', leash, 'task', ...command], {
    ...(cwd && { cwd }),
    env: environmentOf(task, text),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessWithoutNullStreams
  child.stdin.on('error', ignoreError('a task may end without reading its arguments'))
  child.stdin.end(text)
  return child
}

function ended(child: ChildProcessWithoutNullStreams, task: LeasedTask, signal: AbortSignal): Promise<TaskEnd> {
  const output = tail()
  child.stdout.on('data', output.add)
  child.stderr.on('data', output.add)
  let late = false
  const stop = () => killGroup(child.pid)
  const limit = setTimeout(() => {
    late = true
    stop()
  }, task.timeoutSeconds * 1000)
  signal.addEventListener('abort', stop, { once: true })
  // Processes that it started would keep its output open, and outlive it; those that left the group are not waited for.
  child.once('exit', () => {
    clearTimeout(limit)
    stop()
    setTimeout(() => child.stdio.map((pipe) => pipe?.destroy()), leftOpenMs).unref()
  })
  return new Promise((resolve) => {
    const end = (state: TaskEnd['state'], reason: string) => {
      clearTimeout(limit)
      signal.removeEventListener('abort', stop)
      resolve({ state, reason, output: output.text() })
    }
    child.once('error', () => end('failed', 'The command could not be started.'))
    child.once('close', (code, by) => {
      if (late) return end('timeout', `It ran longer than ${task.timeoutSeconds} s.`)
      if (code === 0) return end('succeeded', 'Exit code 0.')
      end('failed', code === null ? `Ended by ${by}.` : `Exit code ${code}.`)
    })
  })
}

// The shell becomes the task. Beside it waits a reader of a pipe that only we can write to: when we end, however that
// happens, the pipe closes and the reader ends the whole group, itself included.
const leash = `
( read -r _ <&3; kill -KILL 0 ) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-
`

/** Linux takes 128 kB for one variable; arguments that are longer are on stdin alone. */
const longestVariable = 100_000

/** Only PATH of the platform's own environment: the rest contains keys. */
const environmentOf = ({ secrets, ...task }: LeasedTask, text: string) => ({
  PATH: process.env.PATH,
  ...secrets.reveal().env,
  ...(Buffer.byteLength(text) <= longestVariable && { TASK: text }),
  TASK_INDEX: String(task.index),
  TASK_ATTEMPT: String(task.attempt),
  EXECUTION_ID: task.executionId,
  JOB: task.job,
  WORKSPACE: task.workspace,
})

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself in the meantime.
  }
}

function tail() {
  let kept = Buffer.alloc(0)
  return {
    add: (chunk: Buffer) => {
      kept = Buffer.concat([kept, chunk]).subarray(-keptOutput)
    },
    // PostgreSQL stores no zero character in a text.
    text: () => kept.toString().replaceAll('\0', '\uFFFD'),
  }
}
