// Ends commands that exceed their memory or disk. One asynchronous loop watches all commands of this process.
import { setTimeout as pause } from 'node:timers/promises'
import { deletedMbOf, findInside, lookInside, memoryOf, sharedMbOf, signalBelow, writtenBy } from './command-usage.ts'
import type { Disk, Writer } from './disk.ts'

export type WatchedCommand = {
  /** The process ID of bubblewrap, after it has started the command. */
  pid: number
  /** Undefined if a control group limits the memory. */
  memory: { maxMb: number; scratch: readonly string[] } | undefined
  disk: Disk | undefined
  cut(outcome: 'out_of_memory' | 'disk_full'): void
}

type Watched = WatchedCommand & {
  inside: Promise<string>
  nextAt: number
  shared: { sharedMb: number; whenMappedMb: number; nextAt: number }
  isStopped: boolean
}

const watched = new Set<Watched>()
let isWatching = false

/** Returns a function that ends the watch. */
export function watchLimits(command: WatchedCommand): () => void {
  const shared = { sharedMb: 0, whenMappedMb: 0, nextAt: 0 }
  const added: Watched = { ...command, inside: findInside(command.pid), nextAt: 0, shared, isStopped: false }
  const writer = writerInside(added.inside)
  watched.add(added)
  command.disk?.writers.add(writer)
  if (!isWatching) void watchAll()
  return () => {
    watched.delete(added)
    command.disk?.writers.delete(writer)
  }
}

function writerInside(inside: Promise<string>): Writer {
  const written = new Map<string, number>()
  return {
    deletedMb: () =>
      inside
        .then(lookInside)
        .then(deletedMbOf)
        .catch(() => 0),
    async writtenMb() {
      const now = await inside
        .then(lookInside)
        .then(writtenBy)
        .catch(() => new Map<string, number>())
      for (const [process, bytes] of now) written.set(process, Math.max(bytes, written.get(process) ?? 0))
      return [...written.values()].reduce((sum, each) => sum + each, 0) / 1024 / 1024
    },
  }
}

async function watchAll(): Promise<void> {
  isWatching = true
  while (watched.size > 0) {
    const now = performance.now()
    for (const command of watched) if (command.nextAt <= now) void look(command)
    await pause(minPauseMs, undefined, { ref: false })
  }
  isWatching = false
}

const minPauseMs = 10
const maxPauseMs = 200
/** How fast memory and files can grow on two cores. */
const maxMbPerMs = 3

/** Looks again before the rest of a limit can be used up. Takes at most half of the time. */
async function look(command: Watched): Promise<void> {
  const from = performance.now()
  command.nextAt = Number.POSITIVE_INFINITY
  // A command that has ended has no processes.
  const left = await Promise.all([diskLeft(command), memoryLeft(command)]).catch(() => [Number.POSITIVE_INFINITY])
  const pauseMs = Math.min(Math.min(...left) / maxMbPerMs, maxPauseMs)
  command.nextAt = performance.now() + Math.max(performance.now() - from, pauseMs)
}

async function memoryLeft(command: Watched): Promise<number> {
  if (!command.memory) return Number.POSITIVE_INFINITY
  const { maxMb, scratch } = command.memory
  const inside = await lookInside(await command.inside)
  const { heldMb, mappedMb } = await memoryOf(inside, scratch)
  const { shared } = command
  if (mappedMb > shared.whenMappedMb + maxUnseenMb || performance.now() > shared.nextAt) {
    const sharedMb = await sharedMbOf(inside)
    command.shared = { sharedMb, whenMappedMb: mappedMb, nextAt: performance.now() + maxPauseMs }
  }
  const left = maxMb - heldMb - command.shared.sharedMb
  if (left < 0) command.cut('out_of_memory')
  return left
}

/** Mapped memory that is not searched for shared memory at once, because that takes longer than other checks. */
const maxUnseenMb = 8

async function diskLeft(command: Watched): Promise<number> {
  const { disk } = command
  if (!disk) return Number.POSITIVE_INFINITY
  const left = await disk.leftMb()
  if (disk.isCountDue(left)) void disk.count()
  if (disk.isFull()) command.cut('disk_full')
  const stops = disk.isNearlyFull(left)
  // Repeated while stopped, because processes may have started since.
  if (stops || command.isStopped) await signalBelow(command.pid, stops ? 'SIGSTOP' : 'SIGCONT')
  command.isStopped = stops
  return stops ? 0 : left
}
