import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Which release runs, as package.json says: it lies beside `src` and beside `dist`. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), 'utf8'))
  return String(version)
}
