import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** `mkdirSync` with `recursive` never returns below /proc, which rejects new entries with ENOENT. */
export function makeFolder(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if (!isFolder(folder)) throw error // may have been created concurrently
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
