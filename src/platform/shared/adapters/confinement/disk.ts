import { stat, statfs } from 'node:fs/promises'

/** Returns the size in MB, or undefined if the folders can't be counted, for example because one was removed. */
export type CountDisk = (folders: readonly string[], enoughMb: number) => Promise<number | undefined>

/** Use of the folders that a command may write. */
export type Disk = {
  /** By the last count and the file system's free space, which any process may have used. So it is never too high. */
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
  /** Each returns the size of files that are deleted and still open. No folder shows them. */
  holders: Set<() => Promise<number>>
  close(): void
}

/** `maxMb` limits the folder beside the limit of all. It is only checked by counting, so it can be exceeded for seconds. */
export type DiskFolder = { source: string; maxMb?: number | undefined }

const disks = new Map<string, Disk & { users: number }>()

/** One for all commands that write the same folders. */
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
  const holders: Disk['holders'] = new Set()
  const room = () => maxMb - countedMb

  async function countOnce(): Promise<void> {
    const from = performance.now()
    const free = await freeMb(folders)
    const held = await Promise.all([...holders].map((holder) => holder()))
    const [found, ...sizes] = await Promise.all([countDisk(folders, maxMb), ...all.map(sizeOf)])
    full = all.find((folder, at) => (sizes[at] ?? 0) > (folder.maxMb ?? Number.POSITIVE_INFINITY))
    if (found !== undefined) {
      countedMb = held.reduce((sum, each) => sum + each, found)
      freeWhenCounted = free
    }
    nextCountAt = performance.now() + Math.max(minPauseMs, (performance.now() - from) / maxShare)
  }

  const sizeOf = async ({ source, maxMb: ownMb }: DiskFolder) =>
    ownMb === undefined ? undefined : countDisk([source], ownMb)

  return {
    users: 0,
    holders,
    leftMb: async () => room() - Math.max(0, freeWhenCounted - (await freeMb(folders))),
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
