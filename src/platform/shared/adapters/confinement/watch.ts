// Where the kernel enforces no limit for us, what a command uses is looked at and the command ended when it is too much.
import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'

/** Memory of a process and of all that it started, without what programs share of their files. */
export function memoryMbOf(pid: number): number {
  const children = new Map<number, number[]>()
  const memory = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const status = statusOf(name)
    if (!status) continue
    memory.set(Number(name), status.kilobytes)
    children.set(status.parent, [...(children.get(status.parent) ?? []), Number(name)])
  }
  const sum = (each: number): number =>
    (memory.get(each) ?? 0) + (children.get(each) ?? []).reduce((total, child) => total + sum(child), 0)
  return sum(pid) / 1024
}

function statusOf(pid: string) {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    const number = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
    return { parent: number('PPid'), kilobytes: number('RssAnon') + number('RssShmem') }
  } catch {
    // It ended while we looked.
    return undefined
  }
}

/** Bytes on disk of a folder; links are not followed. Stops counting once it is above `enough`. */
export async function diskBytesOf(folder: string, enough: number): Promise<number> {
  let bytes = 0
  const pending = [folder]
  for (let next = pending.pop(); next !== undefined && bytes <= enough; next = pending.pop()) {
    for await (const entry of entriesOf(next)) {
      if (entry.isDirectory()) pending.push(join(next, entry.name))
      bytes += await sizeOnDisk(join(next, entry.name))
      if (bytes > enough) return bytes
    }
  }
  return bytes
}

/** Piece by piece: there may be millions in a folder. What cannot be opened, or is removed meanwhile, has none. */
async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder, { bufferSize: 256 })
  } catch {
    // It was removed while we looked.
  }
}

/** Blocks, not the length: a file with holes takes less. An entry takes a block even if it is empty. */
const sizeOnDisk = async (path: string): Promise<number> =>
  ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512 + 4_096

const watchMs = 200

export type WatchedLimits = { watchesMemory: boolean; memoryMb: number; writable: readonly string[]; diskMb: number }

/** Until `signal` says that the command is over, or `cut` was told what it has too much of. */
export async function watchLimits(
  pid: number,
  { watchesMemory, memoryMb, writable, diskMb }: WatchedLimits,
  cut: (outcome: 'out_of_memory' | 'disk_full') => void,
  signal: AbortSignal,
): Promise<void> {
  if (!watchesMemory && writable.length === 0) return
  while (!signal.aborted) {
    if (watchesMemory && memoryMbOf(pid) > memoryMb) return cut('out_of_memory')
    let bytes = 0
    for (const folder of writable) bytes += await diskBytesOf(folder, diskMb * 1024 * 1024)
    if (bytes > diskMb * 1024 * 1024) return cut('disk_full')
    await pause(watchMs, undefined, { signal }).catch(ignoreError('the command has ended'))
  }
}
