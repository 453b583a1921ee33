// Memory and disk use of a confined command, from /proc (proc(5)). Only needed for limits that no control group enforces.
import { open, readdir, readFile, stat, statfs } from 'node:fs/promises'

/** `inside`: /proc of the first process inside, bubblewrap's. It lists only processes of the command. */
type Inside = { inside: string; processes: string[] }

export async function findInside(bubblewrapPid: number, proc = '/proc'): Promise<string> {
  const children = await beginningOf(`${proc}/${bubblewrapPid}/task/${bubblewrapPid}/children`)
  return `${proc}/${children.trim().split(' ')[0]}`
}

export async function lookInside(inside: string): Promise<Inside> {
  const names = await readdir(`${inside}/root/proc`)
  const numbers = names.filter((name) => /^\d+$/.test(name) && name !== '1')
  return { inside, processes: numbers.map((number) => `${inside}/root/proc/${number}`) }
}

type MemoryUse = { heldMb: number; mappedMb: number }

/** `scratch` are the folders in memory. */
export async function memoryOf({ inside, processes }: Inside, scratch: readonly string[]): Promise<MemoryUse> {
  const [sockets, folders, used] = await Promise.all([
    socketKilobytes(inside),
    Promise.all(scratch.map((folder) => scratchKilobytes(`${inside}/root${folder}`))),
    someAtATime(processes, processKilobytes),
  ])
  const held = sum([sockets, ...folders, ...used.map((each) => each.held)])
  return { heldMb: held / 1024, mappedMb: sum(used.map((each) => each.mapped)) / 1024 }
}

/** Other work also needs the threads that read files. */
const maxConcurrentReads = 8

async function someAtATime<Item, Result>(items: readonly Item[], read: (item: Item) => Promise<Result>) {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += maxConcurrentReads)
    results.push(...(await Promise.all(items.slice(start, start + maxConcurrentReads).map(read))))
  return results
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, each) => total + each, 0)

/** Kernel memory of a process besides its page tables. */
const processOverhead = 512
/** Half of a full pipe. */
const descriptorOverhead = 32
const usualDescriptors = 16

async function processKilobytes(process: string): Promise<{ held: number; mapped: number }> {
  const [status, folder] = await Promise.all([
    beginningOf(`${process}/status`),
    stat(`${process}/fd`).catch(() => undefined),
  ])
  if (status === '') return { held: 0, mapped: 0 }
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  // The size of this folder is the number of descriptors since Linux 6.2.
  const descriptors = folder?.size || field('FDSize')
  const memory = field('RssAnon') + field('RssShmem') + field('VmSwap') + field('VmPTE')
  const overhead = processOverhead + Math.max(0, descriptors - usualDescriptors) * descriptorOverhead
  return { held: memory + overhead, mapped: field('VmSize') }
}

const inodeKilobytes = 2

async function scratchKilobytes(folder: string): Promise<number> {
  const found = await statfs(folder).catch(() => undefined)
  if (!found) return 0
  const { bsize, blocks, bfree, files, ffree } = found
  return ((blocks - bfree) * bsize) / 1024 + (files - ffree) * inodeKilobytes
}

/** net.core.wmem_default and the overhead of one message. */
const socketBuffer = 256
/** Send and receive queue of a TCP connection on loopback, which grow to net.ipv4.tcp_wmem. */
const tcpQueues = 4 * 1024
const usualSockets = 8

async function socketKilobytes(inside: string): Promise<number> {
  const used = Number(/^sockets: used (\d+)/.exec(await beginningOf(`${inside}/net/sockstat`))?.[1] ?? 0)
  if (used <= usualSockets) return used * socketBuffer
  const connections = `${await textOf(`${inside}/net/tcp`)}${await textOf(`${inside}/net/tcp6`)}`
  const unread = connections.match(/ (?!0{8}:0{8})[0-9A-F]{8}:[0-9A-F]{8} \d\d:/g) ?? []
  return used * socketBuffer + unread.length * tcpQueues
}

/**
 * Shared memory without a name keeps its pages when they are unmapped (madvise(2)), so its full size counts, once for
 * all processes.
 */
export async function sharedMbOf({ processes }: Inside): Promise<number> {
  const sizes = new Map<string, number>()
  for (const process of processes) {
    const maps = await textOf(`${process}/maps`)
    for (const [, from = '', to = '', inode = ''] of maps.matchAll(sharedMapping))
      sizes.set(inode, Math.max(sizes.get(inode) ?? 0, Number.parseInt(to, 16) - Number.parseInt(from, 16)))
  }
  return megabytes(sizes)
}

const sharedMapping = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ (\d+) +\/dev\/zero \(deleted\)$/gm

/** Files that are deleted and still open use disk that no folder shows. */
export async function deletedMbOf({ processes }: Inside): Promise<number> {
  const sizes = new Map<string, number>()
  for (const process of processes) {
    for (const descriptor of await readdir(`${process}/fd`).catch(() => [])) {
      const file = await stat(`${process}/fd/${descriptor}`).catch(() => undefined)
      if (file?.isFile() && file.nlink === 0) sizes.set(`${file.dev} ${file.ino}`, file.blocks * 512)
    }
  }
  return megabytes(sizes)
}

/** Bytes that each process has written so far, by its path. Pages that are written twice may count twice. */
export async function writtenBy({ processes }: Inside): Promise<Map<string, number>> {
  const counters = await someAtATime(processes, (process) => beginningOf(`${process}/io`))
  return new Map(
    processes.map((process, at) => [process, Number(/^write_bytes: (\d+)/m.exec(counters[at] ?? '')?.[1] ?? 0)]),
  )
}

/** Signals all processes that `pid` started. */
export async function signalBelow(pid: number, signal: 'SIGSTOP' | 'SIGCONT', proc = '/proc'): Promise<void> {
  const threads = await readdir(`${proc}/${pid}/task`).catch(() => [])
  const lists = await someAtATime(threads, (thread) => textOf(`${proc}/${pid}/task/${thread}/children`))
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
  for (const child of children) sendSignal(child, signal)
  await someAtATime(children, (child) => signalBelow(child, signal, proc))
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Ended in the meantime.
  }
}

const megabytes = (sizes: Map<string, number>) => sum(sizes.values()) / 1024 / 1024

/** Empty if the process has ended in the meantime. */
const textOf = (path: string): Promise<string> => readFile(path, 'latin1').catch(() => '')

/** Takes fewer steps than reading a whole file. */
async function beginningOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  try {
    const read = await file?.read(Buffer.allocUnsafe(4_096), 0, 4_096, 0)
    return read?.buffer.toString('latin1', 0, read.bytesRead) ?? ''
  } catch {
    return ''
  } finally {
    await file?.close()
  }
}
