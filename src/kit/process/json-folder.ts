import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Every `<name>.json` of a folder beside `src` or `dist`, by name; empty where there is no such folder. */
export function readJsonFolder(folder: string): Map<string, unknown> {
  const path = `${root}${folder}/`
  const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.json')) : []
  return new Map(names.sort().map((name) => [name.slice(0, -5), JSON.parse(readFileSync(path + name, 'utf8'))]))
}

const root = fileURLToPath(new URL('../../../', import.meta.url))
