import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installedRoot as root } from '../installed/installed-root.ts'

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
