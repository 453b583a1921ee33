import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds `views`, `messages` and other installed files, above `src` or the build. */
export const installedRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(from: string): string {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, 'package.json')) && existsSync(join(at, 'views'))) return at
  }
  return from
}

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(installedRoot, 'package.json'), 'utf8'))
  return String(version)
}
