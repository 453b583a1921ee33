import { constants, type Dirent } from 'node:fs'
import { type FileHandle, lstat, mkdir, opendir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../../shared/domain/failure.ts'
import type { FileEntry, FolderEntries, SandboxFiles, StoredFolder } from '../domain/sandbox/sandbox.ts'
import type { FileLocation } from '../domain/sandbox/sandbox-path.ts'
import { giveToCommands, inFolder, isThere, openFile, removeAll } from './open-folder.ts'

const largestFile = 1024 * 1024
const mostEntries = 10_000
/** Thousands at once would be answered at once, and everybody else after them. */
const atATime = 128

const folderNames = { sandbox: 'sandboxes', volume: 'volumes', drive: 'drives' } as const

const missing = () => new Failure('input_invalid', 'There is no such file or folder.')

export function diskSandboxFiles(root: string): SandboxFiles {
  const pathOf = ({ kind, workspace, id }: StoredFolder) => join(root, folderNames[kind], workspace, id)
  return {
    async folderOf(kind, workspace, id) {
      const folder = pathOf({ kind, workspace, id })
      // Others may pass, but not look: the account of commands has to come to its own folder.
      await mkdir(dirname(folder), { recursive: true, mode: 0o711 })
      if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await giveToCommands(folder)
      return folder
    },

    async discard(folder) {
      const path = pathOf(folder)
      if (await isThere(path)) await removeAll(dirname(path), basename(path))
    },

    async list({ folder, steps }) {
      return inFolder(folder, steps, entriesOf).catch(undefinedIfMissing)
    },

    read: (location) =>
      inParent(location, async (path) => {
        const file = await openFile(path, constants.O_RDONLY)
        try {
          return await readBounded(file)
        } finally {
          await file.close()
        }
      }),

    async write(location, content) {
      assertWritable(location)
      await makeFolders(location, location.steps.slice(0, -1))
      await inParent(location, async (path) => {
        const isNew = !(await isThere(path))
        const file = await openFile(path, constants.O_CREAT | constants.O_WRONLY)
        try {
          await file.truncate(0)
          await file.writeFile(content)
          if (isNew) await giveToCommands(path)
        } finally {
          await file.close()
        }
      })
    },

    async makeFolder(location) {
      assertWritable(location)
      assertNamed(location)
      await makeFolders(location, location.steps)
    },

    makeMountPoint: async ({ folder, steps, readOnly }) => {
      if (!readOnly) await makeFolders({ folder }, steps).catch(() => undefined) // told by what follows
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

/** No more than it had when it was opened: a command may let it grow meanwhile, by gigabytes at once. */
async function readBounded(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat()
  if (size > largestFile) throw new Failure('body_too_large', 'The file is larger than 1 MB.')
  const buffer = Buffer.alloc(size + 1) // also where it says that it is empty, it is read
  let length = 0
  for (let got = -1; got !== 0 && length < buffer.length; length += got) {
    got = (await file.read(buffer, length, buffer.length - length)).bytesRead
  }
  return buffer.subarray(0, Math.min(length, size))
}

async function entriesOf(folder: string): Promise<FolderEntries> {
  const { entries, cut } = await firstEntries(folder)
  // Links are not shown: they are not followed either.
  const shown = entries.filter((entry) => entry.isFile() || entry.isDirectory())
  const names = shown.filter((entry) => entry.isFile()).map(({ name }) => name)
  const files: FileEntry[] = []
  for (let start = 0; start < names.length; start += atATime) {
    const some = names.slice(start, start + atATime).map((name) => describe(join(folder, name), name))
    files.push(...(await Promise.all(some)).filter((file) => file !== undefined))
  }
  return {
    files,
    folders: shown.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    cut,
  }
}

/** Not read whole: a command may leave millions in a folder, which would take the thread of everybody for seconds. */
async function firstEntries(folder: string): Promise<{ entries: Dirent[]; cut: boolean }> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(folder, { bufferSize: 256 })) {
    if (entries.length === mostEntries) return { entries, cut: true }
    entries.push(entry)
  }
  return { entries, cut: false }
}

/** Taken away between two looks, it is not shown. */
const describe = (path: string, name: string) =>
  lstat(path).then(
    ({ size, mtime }) => ({ name, size, lastModified: mtime.toISOString() }),
    () => undefined,
  )

/** `act` gets the path of what the location names, in a folder that is open. */
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
  if (name === undefined) throw new Failure('input_invalid', 'Name a file or folder inside.')
  return name
}

function assertWritable({ readOnly }: FileLocation): void {
  if (readOnly) throw new Failure('input_invalid', 'This folder is mounted read-only.')
}

/** Nothing is there, or what is there is no file or folder that we open: a link, a pipe, a socket. */
const missingCodes = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR', 'ENXIO', 'ENAMETOOLONG']

const closedCodes = ['EACCES', 'EPERM', 'EROFS', 'ETXTBSY']

const isMissing = ({ code = '' }: NodeJS.ErrnoException) => missingCodes.includes(code)

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (!isMissing(error)) throwFileFailure(error)
}

/** What is not the caller's doing, such as too many open files, goes on as it is. */
function throwFileFailure(error: NodeJS.ErrnoException): never {
  if (isMissing(error)) throw missing()
  if (closedCodes.includes(error.code ?? ''))
    throw new Failure('input_invalid', 'The file or folder cannot be opened.', { cause: error })
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') throw new Failure('store_unavailable', 'The disk is full.')
  throw error
}
