// Control groups are folders; their limits and members are files in them.
import { readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type ControlGroup = {
  add(pid: number): void
  /** Whether the kernel ended something in it for want of memory. */
  ranOutOfMemory(): boolean
  remove(): void
}

/** One folder (version 2), or one for each kind of limit (version 1); `cpu` may be out of reach where the others are not. */
export type Parents = (
  | { version: 2; folder: string; cpu: boolean }
  | { version: 1; memory: string; pids: string; cpu?: string }
) & {
  makeFolder: MakeFolder
}

/** The kernel puts a group's files into a folder that is made in its own. */
export type MakeFolder = (path: string) => unknown

export function made(
  { makeFolder }: Parents,
  folders: string[],
  open: () => Omit<ControlGroup, 'remove'>,
): ControlGroup | undefined {
  const remove = () => folders.forEach(removeGroup)
  try {
    // A version 2 group has no files of limits where its parent does not pass them on: writing them then fails.
    for (const folder of folders) makeFolder(folder)
    return { ...open(), remove }
  } catch {
    remove()
    return undefined
  }
}

export const write = (folder: string, file: string, value: number | string) =>
  writeFileSync(join(folder, file), String(value), { flag: 'r+' })

export function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch {
    return ''
  }
}

/** A group cannot be removed before the last of its processes is gone, which the kernel says a little late. */
function removeGroup(folder: string, attempt = 0): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === 'EBUSY'
    if (isBusy && attempt < 20) setTimeout(() => removeGroup(folder, attempt + 1), 50 * (attempt + 1)).unref()
  }
}
