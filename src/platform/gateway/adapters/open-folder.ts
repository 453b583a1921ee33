// Folders that commands of tenants can change at any time. A path that was looked at may lead elsewhere a moment later,
// so each folder on the way is opened from the one above it, never through a link, and used by its descriptor.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { type FileHandle, lchown, lstat, open, realpath, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { commandAccount } from '../../shared/adapters/confinement/account.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** Only there can a descriptor be used as a path; elsewhere no commands run that could change anything meanwhile. */
const hasDescriptorPaths = process.platform === 'linux'

/** `act` gets a path that leads to this very folder until it ends. Throws as the file system does. */
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

/** Neither a link nor a pipe, which would never open: commands can put either where a file was. */
export async function openFile(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600)
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw Object.assign(new Error('no file'), { code: 'EINVAL' })
}

/** A link is removed itself; what it names stays. Node's own removal goes by paths, `rm` by descriptors. */
export async function removeAll(folder: string, name: string): Promise<void> {
  if (!hasDescriptorPaths) return rm(join(folder, name), { recursive: true, force: true })
  const child = spawn('rm', ['-rf', '--', `.${sep}${name}`], { cwd: folder, stdio: 'ignore' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw Object.assign(new Error('not removed'), { code: 'EIO' })
}

/** What the platform makes as root is the commands' own. */
export async function giveToCommands(path: string): Promise<void> {
  if (commandAccount) await lchown(path, commandAccount.uid, commandAccount.gid)
}

export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
