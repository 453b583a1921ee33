import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportBatch, ExportDestination } from './destination.ts'

/**
 * One file per batch, which appears whole. Named by both ends of the batch, so that a process that lost its lease
 * cannot replace a file by one with fewer records.
 */
export const ndjsonFolder = (folder: string): ExportDestination => ({
  name: 'folder',
  pauseSeconds: 60,
  async send({ after, through, records }: ExportBatch) {
    const parts = join(folder, '.parts')
    await mkdir(parts, { recursive: true, mode: 0o700 })
    await removeLeft(parts)
    const part = join(parts, randomBytes(8).toString('hex'))
    const file = await open(part, 'wx', 0o600)
    try {
      await file.writeFile(records.map(({ line }) => `${line}\n`).join(''))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, join(folder, `${padded(after)}-${padded(through)}.ndjson`))
    const directory = await open(folder, 'r')
    await directory.sync().finally(() => directory.close())
    return { rejected: 0 }
  },
})

const padded = (position: number) => String(position).padStart(15, '0')

const leftAfterMs = 60 * 60 * 1_000

/** Parts of killed processes. */
async function removeLeft(parts: string): Promise<void> {
  for (const name of await readdir(parts)) {
    const part = join(parts, name)
    const found = await stat(part).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > leftAfterMs) await rm(part, { force: true })
  }
}
