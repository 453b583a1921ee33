import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { LeasedTask, RunTask, TaskEnd } from '../domain/ports.ts'

export type Command = { command: string[]; cwd?: string | undefined }

/** What is kept of a task's output: its end. */
const keptOutput = 64 * 1024

/** One process for each task, with its arguments on stdin and in TASK. `local/echo` needs no process. */
export const taskRunner =
  (commands: ReadonlyMap<string, Command>): RunTask =>
  async (task, signal) => {
    const command = commands.get(task.image)
    if (command) return runCommand(command, task, signal)
    return { state: 'succeeded', reason: 'Echoed.', output: JSON.stringify(task.arguments) }
  }

function runCommand({ command, cwd }: Command, task: LeasedTask, signal: AbortSignal): Promise<TaskEnd> {
  const text = JSON.stringify(task.arguments)
  // A group of its own, so that what the task started ends with it.
  const child = spawn('/bin/sh', ['-c', leash, 'task', ...command], {
    ...(cwd && { cwd }),
    env: environmentOf(task, text),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessWithoutNullStreams
  const output = tail()
  child.stdout.on('data', output.add)
  child.stderr.on('data', output.add)
  child.stdin.on('error', () => {}) // a task that does not read its arguments
  child.stdin.end(text)
  let late = false
  const stop = () => killGroup(child.pid)
  const limit = setTimeout(() => {
    late = true
    stop()
  }, task.timeoutSeconds * 1000)
  signal.addEventListener('abort', stop, { once: true })
  // What it left running would hold its output open, and outlive it.
  child.once('exit', stop)
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

/** Nothing of the platform's own environment but the path to programs: it holds keys. */
const environmentOf = ({ secrets, ...task }: LeasedTask, text: string) => ({
  PATH: process.env.PATH,
  ...secrets.reveal().env,
  TASK: text,
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
    // PostgreSQL holds no zero character in a text.
    text: () => kept.toString().replaceAll('\0', '\uFFFD'),
  }
}
