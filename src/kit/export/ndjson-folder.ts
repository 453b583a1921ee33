import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportBatch, ExportDestination } from './destination.ts'

/** One file per batch. A file appears whole, and a batch that is sent again replaces its own file. */
export const ndjsonFolder = (folder: string): ExportDestination => ({
  name: 'folder',
  pauseSeconds: 60,
  async send({ after, records }: ExportBatch) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const name = `${String(after).padStart(15, '0')}.ndjson`
    const part = join(folder, `.${name}.part`)
    const file = await open(part, 'w', 0o600)
    try {
      await file.writeFile(records.map(({ line }) => `${line}\n`).join(''))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, join(folder, name))
    const directory = await open(folder, 'r')
    await directory.sync().finally(() => directory.close())
  },
})
