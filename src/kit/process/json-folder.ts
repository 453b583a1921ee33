import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from './start-error.ts'

/** Every `<name>.json` of a folder that is installed with the program, by name. */
export function readJsonFolder(folder: string): Map<string, unknown> {
  const path = installedFolder(folder, dirname(fileURLToPath(import.meta.url)))
  const names = readdirSync(path).filter((name) => name.endsWith('.json'))
  return new Map(names.sort().map((name) => [name.slice(0, -5), JSON.parse(readFileSync(join(path, name), 'utf8'))]))
}

/** Beside `src` or `dist`, or further up: compiled code may lie a folder deeper. */
function installedFolder(folder: string, from: string): string {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const path = join(at, folder)
    if (existsSync(path)) return path
  }
  throw new StartError(`the folder ${folder} is missing: it belongs beside dist, as in the repository`)
}
