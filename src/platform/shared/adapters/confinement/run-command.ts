import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { type EngineRun, notStarted, type Output, type RunEnd } from '../../domain/engine.ts'
import { pausing } from '../engines/output-pauses.ts'
import { outputTail } from '../output-tail.ts'
import { type ConfinedCommand, scratchFolders } from './bubblewrap.ts'
import type { Confinement, RunningCommand } from './confinement.ts'
import { type Disk, openDisk } from './disk.ts'
import type { Child } from './spawn-child.ts'
import { onStart } from './start-bubblewrap.ts'
import { type WatchedCommand, watchLimits } from './watch.ts'

type CommandRun = Pick<EngineRun, 'id' | 'stdin' | 'timeoutSeconds' | 'diskMb' | 'signal' | 'onOutput'> & {
  confined: ConfinedCommand
}

/** Grace period for a process that left the process group and keeps the output open. */
const leftOpenMs = 1_000

export async function runCommand(
  confinement: Exclude<Confinement, { kind: 'unavailable' }>,
  run: CommandRun,
): Promise<RunEnd> {
  const writable = run.confined.folders.filter((folder) => folder.writable)
  if (confinement.kind === 'unconfined' || writable.length === 0) return start(confinement, run, undefined)
  const disk = openDisk(confinement.countDisk, writable, run.diskMb)
  try {
    await disk.count()
    const maxFileMb = await disk.leftMb()
    const full = () => writable.find(({ source }) => source === disk.fullFolder()?.source)
    if (maxFileMb < 1 || disk.isFull()) return { ...notStarted('no_room'), full: full() }
    const end = await start(confinement, { ...run, confined: { ...run.confined, maxFileMb } }, disk)
    if (writable.some((folder) => folder.maxMb !== undefined)) await disk.countAgain()
    return full() ? { ...end, outcome: 'disk_full', full: full() } : end
  } finally {
    disk.close()
  }
}

async function start(
  confinement: Exclude<Confinement, { kind: 'unavailable' }>,
  run: CommandRun,
  disk: Disk | undefined,
): Promise<RunEnd> {
  let started: RunningCommand
  try {
    started = confinement.start(run.id, run.confined)
  } catch {
    // The system lacks resources or rejects the variables, for example if they are too large.
    return notStarted('not_started')
  }
  try {
    const { isSeen, ...end } = await ended(started, run, confinement.kind === 'confined', disk)
    if (isSeen || confinement.kind === 'unconfined') return end
    // bubblewrap's error names local folders, so the tenant gets our own sentence.
    if (end.stderr) confinement.noteRefusal?.(run.id, end.stderr.slice(0, maxRefusalLength))
    const outcome = end.outcome === 'exited' ? 'not_started' : end.outcome
    return { ...notStarted(outcome), code: end.code }
  } finally {
    started.group?.remove()
  }
}

const maxRefusalLength = 500

/** `isSeen`: the command itself started. Earlier output comes from bubblewrap. */
type WatchedEnd = RunEnd & { isSeen: boolean }

async function ended(
  { child, group }: RunningCommand,
  run: CommandRun,
  isConfined: boolean,
  disk: Disk | undefined,
): Promise<WatchedEnd> {
  let isSeen = !isConfined
  let stopWatching = () => {}
  const early: Array<() => void> = []
  /** What arrives before the command is seen may be bubblewrap's. */
  const passOn = (output: Output) => (part: Buffer) => {
    if (isSeen) run.onOutput?.(output, part)
    else if (run.onOutput) early.push(() => run.onOutput?.(output, part))
  }
  const [stdout, stderr] = [readSlowly(child.stdout, passOn('stdout')), readSlowly(child.stderr, passOn('stderr'))]
  child.stdin.on('error', ignoreError('a command may end without reading its input'))
  child.stdin.end(run.stdin)

  let cutShort: RunEnd['outcome'] | undefined
  let isStopped = false
  /** Not before the start: bubblewrap may not have bound its inner process to the outer one yet, so it would go on. */
  const stop = () => {
    isStopped = true
    if (isSeen) return kill(child, isConfined)
    setTimeout(() => kill(child, isConfined), leftOpenMs).unref()
  }
  const cut = (outcome: RunEnd['outcome']) => {
    cutShort ??= outcome
    stop()
  }
  const limit = setTimeout(() => cut('timeout'), run.timeoutSeconds * 1_000)
  if (isConfined)
    onStart(child, () => {
      isSeen = true
      for (const pass of early.splice(0)) pass()
      if (isStopped) stop()
      const memory = group ? undefined : watchedMemory(run.confined)
      if (memory || disk) stopWatching = watchLimits({ pid: child.pid, memory, disk, cut })
    })
  run.signal.addEventListener('abort', stop, { once: true })
  if (run.signal.aborted) stop()
  // Kills child processes, which would keep the output open. Processes that left the group are not awaited.
  child.once('exit', () => {
    stop()
    setTimeout(() => child.stdio.map((pipe) => pipe?.destroy()), leftOpenMs).unref()
  })
  const [code, ending] = await new Promise<[number | null, boolean]>((resolve) => {
    child.once('error', () => resolve([null, false]))
    void closed(child).then((exitCode) => resolve([exitCode, true]))
  })
  clearTimeout(limit)
  stopWatching()
  run.signal.removeEventListener('abort', stop)
  if (code !== 0 && group?.ranOutOfMemory()) cutShort ??= 'out_of_memory'
  if (code === fileTooLarge && disk) cutShort ??= 'disk_full'
  return {
    outcome: ending ? (cutShort ?? (code === null ? 'signalled' : 'exited')) : 'not_started',
    ...{ code: code ?? undefined, stdout: stdout.text(), stderr: stderr.text(), isSeen },
  }
}

/** Instead of the event `close`, which Node omits if this process has closed the channel to the child. */
async function closed(child: Child): Promise<number | null> {
  const ends = [child.stdout, child.stderr].map((pipe) => new Promise((resolve) => pipe.once('close', resolve)))
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await Promise.all(ends)
  return exit
}

/** The status of a command that SIGXFSZ ended. */
const fileTooLarge = 128 + constants.signals.SIGXFSZ

function watchedMemory({ memoryMb, folders, temporary = [] }: ConfinedCommand): WatchedCommand['memory'] {
  const isMounted = (path: string) => folders.some(({ at }) => at === path)
  return {
    maxMb: memoryMb,
    scratch: [...scratchFolders(folders), ...temporary.map(({ at }) => at)].filter((path) => !isMounted(path)),
  }
}

/** Killing the first process of a confined command makes the kernel kill everything inside. */
function kill(child: Child, isConfined: boolean): void {
  if (isConfined) return void child.kill('SIGKILL')
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Already ended.
  }
}

function readSlowly(output: Readable, passOn: (part: Buffer) => void): { text(): string } {
  const tail = outputTail()
  const pauseAfter = pausing(() => output)
  output.on('data', (chunk: Buffer) => {
    tail.add(chunk)
    passOn(chunk)
    pauseAfter(chunk.length)
  })
  return tail
}
