import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder that holds `views`, `messages` and whatever else is installed with a program. Code lies below it: in `src`,
 * or as deep as it was built.
 */
export const installedRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(from: string): string {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, 'package.json')) && existsSync(join(at, 'views'))) return at
  }
  return from
}
