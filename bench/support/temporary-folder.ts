import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** World-readable, because PostgreSQL runs as another account if we are root. Deleted on exit. */
export function temporaryFolder(name = 'causeway-bench-'): string {
  const folder = mkdtempSync(join(tmpdir(), name))
  chmodSync(folder, 0o711)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
