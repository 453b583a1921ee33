// Tenants' commands can replace any part of a path at any time. Each folder is therefore opened relative to its parent,
// without following links, and used by its descriptor.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { type FileHandle, lchown, lstat, open, realpath, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { commandAccount } from '../../shared/adapters/confinement/spawn-child.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** Only Linux has descriptor paths. No commands run on other platforms, so nothing changes paths there. */
const hasDescriptorPaths = process.platform === 'linux'

export async function inFolder<T>(
  root: string,
  steps: readonly string[],
  act: (path: string) => Promise<T>,
): Promise<T> {
  if (!hasDescriptorPaths) return act(await unlinkedPath(root, steps))
  let folder = await open(root, O_RDONLY | O_DIRECTORY)
  try {
    for (const step of steps) {
      const next = await open(join(pathOf(folder), step), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      await folder.close()
      folder = next
    }
    return await act(pathOf(folder))
  } finally {
    await folder.close()
  }
}

const pathOf = ({ fd }: FileHandle) => `/proc/self/fd/${fd}`

async function unlinkedPath(root: string, steps: readonly string[]): Promise<string> {
  const path = join(await realpath(root), ...steps)
  if ((await realpath(path)) !== path) throw Object.assign(new Error('a link'), { code: 'ELOOP' })
  return path
}

/** Rejects links and pipes: opening a pipe would block, and commands can put one in place of a file. */
export async function openFile(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600)
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw Object.assign(new Error('no file'), { code: 'EINVAL' })
}

/** Does not follow links. Node's `rm` works on paths, which can be replaced; the `rm` program uses descriptors. */
export async function removeAll(folder: string, name: string): Promise<void> {
  if (!hasDescriptorPaths) return rm(join(folder, name), { recursive: true, force: true })
  const child = spawn('rm', ['-rf', '--', `.${sep}${name}`], { cwd: folder, stdio: 'ignore' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw Object.assign(new Error('not removed'), { code: 'EIO' })
}

export async function giveToCommands(path: string): Promise<void> {
  if (commandAccount) await lchown(path, commandAccount.uid, commandAccount.gid)
}

export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
