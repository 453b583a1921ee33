import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../process/start-error.ts'
import { installedRoot } from './installed-root.ts'

export function readJsonFolder(folder: string): Map<string, unknown> {
  const path = join(installedRoot, folder)
  if (!existsSync(path)) {
    throw new StartError(`the folder ${folder} is missing: it belongs beside dist, as in the repository`)
  }
  const names = readdirSync(path).filter((name) => name.endsWith('.json'))
  return new Map(names.sort().map((name) => [name.slice(0, -5), JSON.parse(readFileSync(join(path, name), 'utf8'))]))
}
