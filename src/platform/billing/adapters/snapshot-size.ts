import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SnapshotSize } from '../domain/accrual.ts'

/** A sandbox is a folder; what is in it is what has to be kept. Links count nothing: they are not followed. */
export const diskSnapshotSize =
  (root: string): SnapshotSize =>
  (workspace, resourceId) =>
    sizeOf(join(root, 'sandboxes', workspace, resourceId))

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []) // never used, or gone meanwhile
  let bytes = 0
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await sizeOf(path)
    if (entry.isFile())
      bytes += await lstat(path).then(
        ({ size }) => size,
        () => 0,
      )
  }
  return bytes
}
