import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Failure } from '../../shared/domain/failure.ts'
import type { SandboxFiles, StoredFolder } from '../domain/sandbox.ts'
import type { FileLocation } from '../domain/sandbox-path.ts'

const largestFile = 1024 * 1024
const mostEntries = 10_000

const folderNames = { sandbox: 'sandboxes', volume: 'volumes', drive: 'drives' } as const

const missing = () => new Failure('input_invalid', 'There is no such file or folder.')

export function diskSandboxFiles(root: string): SandboxFiles {
  const pathOf = ({ kind, workspace, id }: StoredFolder) => join(root, folderNames[kind], workspace, id)
  return {
    async folderOf(kind, workspace, id) {
      const folder = pathOf({ kind, workspace, id })
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return folder
    },

    async discard(folder) {
      await rm(pathOf(folder), { recursive: true, force: true })
    },

    async list(location) {
      const folder = await confined(location).catch(() => undefined)
      const found = folder && (await readdir(folder, { withFileTypes: true }).catch(() => undefined))
      if (!folder || !found) return undefined
      // Links are not shown: they are not followed either.
      const all = found.filter((entry) => entry.isFile() || entry.isDirectory())
      const shown = all.slice(0, mostEntries)
      const files = shown.filter((entry) => entry.isFile()).map(({ name }) => describe(folder, name))
      return {
        files: await Promise.all(files),
        folders: shown.filter((entry) => entry.isDirectory()).map(({ name }) => name),
        cut: all.length > mostEntries,
      }
    },

    async read(location) {
      const file = await open(await confined(location), constants.O_RDONLY | constants.O_NOFOLLOW).catch(
        throwFileFailure,
      )
      try {
        const { size } = await file.stat()
        if (size > largestFile) throw new Failure('body_too_large', 'The file is larger than 1 MB.')
        return await file.readFile('utf8').catch(throwFileFailure)
      } finally {
        await file.close()
      }
    },

    async write(location, content) {
      assertWritable(location)
      await mkdir(await confinedParent(location), { recursive: true, mode: 0o700 }).catch(throwFileFailure)
      const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW } = constants
      const path = join(await confinedParent(location), location.steps.at(-1) as string)
      const file = await open(path, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, 0o600).catch(throwFileFailure)
      try {
        await file.writeFile(content)
      } finally {
        await file.close()
      }
    },

    async makeFolder(location) {
      assertWritable(location)
      const parent = await confinedParent(location)
      await mkdir(join(parent, location.steps.at(-1) as string), { recursive: true, mode: 0o700 }).catch(
        throwFileFailure,
      )
    },

    async remove(location) {
      assertWritable(location)
      const path = join(await confinedParent(location), location.steps.at(-1) as string)
      await lstat(path).catch(throwFileFailure)
      // A link is removed itself; what it names stays.
      await rm(path, { recursive: true, force: true }).catch(throwFileFailure)
    },
  }
}

async function describe(folder: string, name: string) {
  const { size, mtime } = await lstat(join(folder, name))
  return { name, size, lastModified: mtime.toISOString() }
}

/** The real path, with every link on the way followed, must still be inside. */
async function confined({ folder, steps }: FileLocation): Promise<string> {
  const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, ...steps)).catch(throwFileFailure)])
  if (path !== root && !path.startsWith(root + sep)) throw missing()
  return path
}

/** For what may not exist yet: the nearest folder above it that does must be inside, and the rest is plain names. */
async function confinedParent({ folder, steps }: FileLocation): Promise<string> {
  if (steps.length === 0) throw new Failure('input_invalid', 'Name a file or folder inside.')
  const parents = steps.slice(0, -1)
  for (let kept = parents.length; kept >= 0; kept--) {
    const real = await realpath(join(folder, ...parents.slice(0, kept))).catch(() => undefined)
    if (real === undefined) continue
    await confined({ folder, steps: parents.slice(0, kept), readOnly: false })
    return join(real, ...parents.slice(kept))
  }
  throw missing()
}

function assertWritable({ readOnly }: FileLocation): void {
  if (readOnly) throw new Failure('input_invalid', 'This folder is mounted read-only.')
}

function throwFileFailure(error: NodeJS.ErrnoException): never {
  if (error instanceof Failure) throw error
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') throw new Failure('store_unavailable', 'The disk is full.')
  throw missing()
}
