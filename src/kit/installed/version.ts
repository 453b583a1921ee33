import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installedRoot } from './installed-root.ts'

/** Which release runs, as package.json says. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(installedRoot, 'package.json'), 'utf8'))
  return String(version)
}
