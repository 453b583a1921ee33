import { createHash } from 'node:crypto'
import { constants, type Dirent } from 'node:fs'
import { type FileHandle, lstat, mkdir, opendir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import { Failure } from '../../shared/domain/failure.ts'
import {
  type FileEntry,
  type FolderEntries,
  type SandboxFiles,
  type StoredFolder,
  tooLarge,
} from '../domain/sandbox/sandbox.ts'
import type { FileLocation } from '../domain/sandbox/sandbox-path.ts'
import { giveToCommands, inFolder, isThere, openFile, removeAll } from './open-folder.ts'

const maxEntries = 10_000
const maxConcurrentStats = 128

/** Of version 0.2.0, with a folder for each workspace. */
const formerNames = { sandbox: 'sandboxes', volume: 'volumes', drive: 'drives' } as const

const missing = () => new Failure('input_invalid', 'File or folder not found.')

export function diskSandboxFiles(root: string): SandboxFiles {
  /** A digest, because commands see the path in their mount table (proc(5)). */
  const pathOf = ({ kind, workspace, id }: StoredFolder) =>
    join(root, 'folders', createHash('sha256').update(`${kind}/${workspace}/${id}`).digest('hex'))
  return {
    async folderOf(kind, workspace, id) {
      const folder = pathOf({ kind, workspace, id })
      // The command account must traverse this folder but not list it.
      await mkdir(dirname(folder), { recursive: true, mode: 0o711 })
      await rename(join(root, formerNames[kind], workspace, id), folder).catch(ignoreError('it was moved or is new'))
      if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await giveToCommands(folder)
      return folder
    },

    async discard(folder) {
      const former = join(root, formerNames[folder.kind], folder.workspace, folder.id)
      for (const path of [pathOf(folder), former])
        if (await isThere(path)) await removeAll(dirname(path), basename(path))
    },

    async list({ folder, steps }) {
      return inFolder(folder, steps, entriesOf).catch(undefinedIfMissing)
    },

    read: (location, maxBytes) =>
      inParent(location, async (path) => {
        const file = await openFile(path, constants.O_RDONLY)
        try {
          return await readBounded(file, maxBytes)
        } finally {
          await file.close()
        }
      }),

    write: (location, content) => put(location, content, 'replace'),

    append: (location, content) => put(location, content, 'append'),

    async makeFolder(location) {
      assertWritable(location)
      assertNamed(location)
      await makeFolders(location, location.steps)
    },

    makeMountPoint: async ({ folder, steps, readOnly }) => {
      if (!readOnly) await makeFolders({ folder }, steps).catch(() => undefined) // the check below reports failures
      return (await inFolder(folder, steps, async () => true).catch(undefinedIfMissing)) === true
    },

    async remove(location) {
      assertWritable(location)
      await inParent(location, async (path) => {
        if (!(await isThere(path))) throw missing()
        await removeAll(dirname(path), basename(path))
      })
    },
  }
}

async function put(location: FileLocation, content: string | Uint8Array, mode: 'replace' | 'append'): Promise<void> {
  assertWritable(location)
  const more = mode === 'append' ? constants.O_APPEND : 0
  await makeFolders(location, location.steps.slice(0, -1))
  await inParent(location, async (path) => {
    const isNew = !(await isThere(path))
    const file = await openFile(path, constants.O_CREAT | constants.O_WRONLY | more)
    try {
      if (mode === 'replace') await file.truncate(0)
      await file.writeFile(content)
      if (isNew) await giveToCommands(path)
    } finally {
      await file.close()
    }
  })
}

/** Reads at most the size at opening: a command may grow the file by gigabytes while it is read. */
async function readBounded(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const { size } = await file.stat()
  if (size > maxBytes) throw tooLarge(maxBytes)
  const buffer = Buffer.alloc(size + 1)
  let length = 0
  for (let got = -1; got !== 0 && length < buffer.length; length += got) {
    got = (await file.read(buffer, length, buffer.length - length)).bytesRead
  }
  return buffer.subarray(0, Math.min(length, size))
}

async function entriesOf(folder: string): Promise<FolderEntries> {
  const { entries, cut } = await firstEntries(folder)
  const shown = entries.filter((entry) => entry.isFile() || entry.isDirectory())
  const names = shown.filter((entry) => entry.isFile()).map(({ name }) => name)
  const files: FileEntry[] = []
  for (let start = 0; start < names.length; start += maxConcurrentStats) {
    const some = names.slice(start, start + maxConcurrentStats).map((name) => describe(join(folder, name), name))
    files.push(...(await Promise.all(some)).filter((file) => file !== undefined))
  }
  return {
    files,
    folders: shown.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    cut,
  }
}

/** Stops at the limit: reading millions of entries would block the process for seconds. */
async function firstEntries(folder: string): Promise<{ entries: Dirent[]; cut: boolean }> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(folder, { bufferSize: 256 })) {
    if (entries.length === maxEntries) return { entries, cut: true }
    entries.push(entry)
  }
  return { entries, cut: false }
}

const describe = (path: string, name: string) =>
  lstat(path).then(
    ({ size, mtime }) => ({ name, size, lastModified: mtime.toISOString() }),
    () => undefined,
  )

async function inParent<T>(location: FileLocation, act: (path: string) => Promise<T>): Promise<T> {
  const name = assertNamed(location)
  return inFolder(location.folder, location.steps.slice(0, -1), (parent) => act(join(parent, name))).catch(
    throwFileFailure,
  )
}

async function makeFolders({ folder }: Pick<FileLocation, 'folder'>, steps: readonly string[]): Promise<void> {
  for (const [depth, name] of steps.entries()) {
    await inFolder(folder, steps.slice(0, depth), async (parent) => {
      const path = join(parent, name)
      if (await isThere(path)) return
      await mkdir(path, { mode: 0o700 })
      await giveToCommands(path)
    }).catch(throwFileFailure)
  }
}

function assertNamed({ steps }: FileLocation): string {
  const name = steps.at(-1)
  if (name === undefined) throw new Failure('input_invalid', 'The path must name a file or folder.')
  return name
}

function assertWritable({ readOnly }: FileLocation): void {
  if (readOnly) throw new Failure('input_invalid', 'This folder is mounted read-only.')
}

const missingCodes = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR', 'ENXIO', 'ENAMETOOLONG']

const closedCodes = ['EACCES', 'EPERM', 'EROFS', 'ETXTBSY']

const isMissing = ({ code = '' }: NodeJS.ErrnoException) => missingCodes.includes(code)

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (!isMissing(error)) throwFileFailure(error)
}

function throwFileFailure(error: NodeJS.ErrnoException): never {
  if (isMissing(error)) throw missing()
  if (closedCodes.includes(error.code ?? ''))
    throw new Failure('input_invalid', 'The file or folder cannot be opened.', { cause: error })
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') throw new Failure('store_unavailable', 'The disk is full.')
  throw error
}
