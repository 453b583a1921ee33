import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installedRoot as root } from '../installed/installed-root.ts'

/** Installed documents, by path from the root. */
export type Documents = {
  /** Markdown files directly in the folder. */
  list: (folder: string) => string[]
  has: (path: string) => boolean
  read: (path: string) => string
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
