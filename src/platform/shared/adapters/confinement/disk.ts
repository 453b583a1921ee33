import { stat, statfs } from 'node:fs/promises'

/** Returns the size in MB, or undefined if the folders can't be counted, for example because one was removed. */
export type CountDisk = (folders: readonly string[], enoughMb: number) => Promise<number | undefined>

/** Use of the folders that a command may write. */
export type Disk = {
  /** By the last count, and what the commands or any process on the file system wrote since. */
  leftMb(): Promise<number>
  isFull(): boolean
  /** The first folder that exceeds its own limit. */
  fullFolder(): DiskFolder | undefined
  /** The command must not write until a count shows how much is left. */
  isNearlyFull(leftMb: number): boolean
  isCountDue(leftMb: number): boolean
  count(): Promise<void>
  /** Includes everything written before the call. */
  countAgain(): Promise<void>
  writers: Set<Writer>
  close(): void
}

/** A command that is running. */
export type Writer = {
  /** Files that are deleted and still open. No folder shows them. */
  deletedMb(): Promise<number>
  /** Since its start. Free space doesn't show this if others delete files at the same time. */
  writtenMb(): Promise<number>
}

/** `maxMb` limits the folder beside the limit of all. It is only checked by counting, so it can be exceeded for seconds. */
type DiskFolder = { source: string; maxMb?: number | undefined }

const disks = new Map<string, Disk & { users: number }>()

/** Commands that write the same folders share one. */
export function openDisk(countDisk: CountDisk, folders: readonly DiskFolder[], maxMb: number): Disk {
  const key = folders.map(({ source, maxMb: own = '' }) => `${source}\0${own}`).join('\0')
  const disk = disks.get(key) ?? newDisk(countDisk, folders, maxMb, () => disks.delete(key))
  disk.users++
  disks.set(key, disk)
  return disk
}

const minPauseMs = 2_000
/** Regular counts take at most this part of the time. */
const maxShare = 1 / 20
/** How much a command can write before it is seen and stopped. */
const reserveMb = 128

function newDisk(countDisk: CountDisk, all: readonly DiskFolder[], maxMb: number, forget: () => void) {
  const folders = all.map(({ source }) => source)
  let countedMb = 0
  let full: DiskFolder | undefined
  let freeWhenCounted = 0
  let nextCountAt = 0
  let counting: Promise<void> | undefined
  let writtenWhenCounted = new Map<Writer, number>()
  const writers: Disk['writers'] = new Set()
  const room = () => maxMb - countedMb

  async function countOnce(): Promise<void> {
    const from = performance.now()
    const free = await freeMb(folders)
    const written = new Map(
      await Promise.all([...writers].map(async (each) => [each, await each.writtenMb()] as const)),
    )
    const deleted = await Promise.all([...writers].map((writer) => writer.deletedMb()))
    const [found, ...sizes] = await Promise.all([countDisk(folders, maxMb), ...all.map(sizeOf)])
    full = all.find((folder, at) => (sizes[at] ?? 0) > (folder.maxMb ?? Number.POSITIVE_INFINITY))
    if (found !== undefined) {
      countedMb = deleted.reduce((sum, each) => sum + each, found)
      freeWhenCounted = free
      writtenWhenCounted = written
    }
    nextCountAt = performance.now() + Math.max(minPauseMs, (performance.now() - from) / maxShare)
  }

  async function writtenSinceMb(): Promise<number> {
    const since = async (writer: Writer) => (await writer.writtenMb()) - (writtenWhenCounted.get(writer) ?? 0)
    return (await Promise.all([...writers].map(since))).reduce((sum, each) => sum + each, 0)
  }

  const sizeOf = async ({ source, maxMb: ownMb }: DiskFolder) =>
    ownMb === undefined ? undefined : countDisk([source], ownMb)

  return {
    users: 0,
    writers,
    async leftMb() {
      const [free, written] = await Promise.all([freeMb(folders), writtenSinceMb()])
      return room() - Math.max(0, freeWhenCounted - free, written)
    },
    isFull: () => countedMb > maxMb || full !== undefined,
    fullFolder: () => full,
    isNearlyFull: (leftMb: number) => leftMb < Math.min(reserveMb, room() / 2),
    isCountDue: (leftMb: number) => performance.now() > nextCountAt || leftMb < room() / 2,
    count() {
      counting ??= countOnce().finally(() => {
        counting = undefined
      })
      return counting
    },
    async countAgain() {
      await counting
      await this.count()
    },
    close() {
      this.users--
      if (this.users === 0) forget()
    },
  }
}

async function freeMb(folders: readonly string[]): Promise<number> {
  const free = new Map<number, number>()
  for (const folder of folders) {
    const found = await Promise.all([stat(folder), statfs(folder)]).catch(() => undefined)
    if (found) free.set(found[0].dev, (found[1].bfree * found[1].bsize) / 1024 / 1024)
  }
  return [...free.values()].reduce((sum, each) => sum + each, 0)
}
