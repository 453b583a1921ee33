import type { Readable } from 'node:stream'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { type ConfinedCommand, startedDescriptor } from './bubblewrap.ts'
import type { Confinement, RunningCommand } from './confinement.ts'
import { outputTail } from './output-tail.ts'
import type { Child } from './spawn-child.ts'
import { watchLimits } from './watch.ts'

export type CommandRun = {
  id: string
  confined: ConfinedCommand
  stdin: string
  timeoutSeconds: number
  /** Of all writable folders together. */
  diskMb: number
  signal: AbortSignal
}

export type CommandEnd = {
  outcome: 'exited' | 'signalled' | 'timeout' | 'out_of_memory' | 'disk_full' | 'not_started'
  code: number | undefined
  /** The last of each, at most 64 kB. */
  stdout: string
  stderr: string
}

/** Returns undefined if it came to an exit code of its own. */
export function cutShortSentence(
  { outcome }: CommandEnd,
  { timeoutSeconds, memoryMb, diskMb }: { timeoutSeconds: number; memoryMb: number; diskMb: number },
): string | undefined {
  const sentences: Record<CommandEnd['outcome'], string | undefined> = {
    exited: undefined,
    signalled: 'It was ended by a signal.',
    timeout: `It ran longer than ${timeoutSeconds} s.`,
    out_of_memory: `It used more than its ${memoryMb} MB of memory.`,
    disk_full: `It wrote more than ${diskMb} MB.`,
    not_started: 'The command could not be started.',
  }
  return sentences[outcome]
}

/** A process that left the command's process group may keep its output open for so long after its end. */
const leftOpenMs = 1_000

export async function runCommand(
  confinement: Exclude<Confinement, { kind: 'unavailable' }>,
  run: CommandRun,
): Promise<CommandEnd> {
  let started: RunningCommand
  try {
    started = confinement.start(run.id, run.confined)
  } catch {
    // The system is short of something, or refuses the variables: too much of them, for example.
    return { outcome: 'not_started', code: undefined, stdout: '', stderr: '' }
  }
  try {
    const { isSeen, ...end } = await ended(started, run, confinement.kind === 'confined')
    if (isSeen) return end
    // What bubblewrap says names folders of this machine: the tenant gets our own sentence.
    if (end.stderr) confinement.noteRefusal?.(run.id, end.stderr.slice(0, longestRefusal))
    const outcome = end.outcome === 'exited' ? 'not_started' : end.outcome
    return { outcome, code: end.code, stdout: '', stderr: '' }
  } finally {
    started.group?.remove()
  }
}

const longestRefusal = 500

/** Whether the command itself began: what was said before is bubblewrap's. */
type WatchedEnd = CommandEnd & { isSeen: boolean }

async function ended({ child, group }: RunningCommand, run: CommandRun, isConfined: boolean): Promise<WatchedEnd> {
  const start = isConfined ? startOf(child) : { isSeen: true }
  const [stdout, stderr] = [outputTail(child.stdout), outputTail(child.stderr)]
  child.stdin.on('error', ignoreError('a command may end without reading its input'))
  child.stdin.end(run.stdin)

  let cutShort: CommandEnd['outcome'] | undefined
  const stop = () => kill(child, isConfined)
  const cut = (outcome: CommandEnd['outcome']) => {
    cutShort ??= outcome
    stop()
  }
  const limit = setTimeout(() => cut('timeout'), run.timeoutSeconds * 1_000)
  const watching = new AbortController()
  const { memoryMb, folders } = run.confined
  const writable = folders.filter((folder) => folder.writable).map(({ source }) => source)
  const limits = { watchesMemory: group === undefined, memoryMb, writable, diskMb: run.diskMb }
  const watched = isConfined ? watchLimits(child.pid, limits, cut, watching.signal) : undefined
  run.signal.addEventListener('abort', stop, { once: true })
  // What it started would keep its output open, and outlive it; what left its group is not waited for.
  child.once('exit', () => {
    stop()
    setTimeout(() => child.stdio.map((pipe) => pipe?.destroy()), leftOpenMs).unref()
  })
  const [code, ending] = await new Promise<[number | null, boolean]>((resolve) => {
    child.once('error', () => resolve([null, false]))
    child.once('close', (exitCode) => resolve([exitCode, true]))
  })
  clearTimeout(limit)
  watching.abort()
  run.signal.removeEventListener('abort', stop)
  await watched
  const outcome = cutShort ?? (code !== 0 && group?.ranOutOfMemory() ? 'out_of_memory' : undefined)
  return {
    outcome: ending ? (outcome ?? (code === null ? 'signalled' : 'exited')) : 'not_started',
    ...{ code: code ?? undefined, stdout: stdout.text(), stderr: stderr.text(), isSeen: start.isSeen },
  }
}

/** Heard once and not again: what a command may write there afterwards is nobody's. */
function startOf(child: Child): { isSeen: boolean } {
  const start = { isSeen: false }
  const pipe = (child.stdio as ReadonlyArray<unknown>)[startedDescriptor] as Readable
  pipe.on('error', ignoreError('it was closed from the other side'))
  pipe.once('data', () => {
    start.isSeen = true
    pipe.destroy()
  })
  return start
}

/** The first process of a confined command is all of it: with it the kernel ends everything inside. */
function kill(child: Child, isConfined: boolean): void {
  if (isConfined) return void child.kill('SIGKILL')
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It ended by itself in the meantime.
  }
}
