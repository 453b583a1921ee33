import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Documents that are installed with the program, by their path from its root. */
export type Documents = {
  /** Every Markdown file directly in a folder. */
  list: (folder: string) => string[]
  has: (path: string) => boolean
  read: (path: string) => string
  /** The folder itself, for what is served as it is. */
  folder: (path: string) => string
}

export function installedDocuments(): Documents {
  const root = findRoot(dirname(fileURLToPath(import.meta.url)))
  return {
    list: (folder) =>
      existsSync(join(root, folder))
        ? readdirSync(join(root, folder))
            .filter((name) => name.endsWith('.md'))
            .map((name) => `${folder}/${name}`)
            .sort()
        : [],
    has: (path) => existsSync(join(root, path)),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    folder: (path) => join(root, path),
  }
}

/** Beside `src` or `dist`, or further up: compiled code may lie a folder deeper. */
function findRoot(from: string): string {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, 'package.json')) && existsSync(join(at, 'views'))) return at
  }
  return from
}
