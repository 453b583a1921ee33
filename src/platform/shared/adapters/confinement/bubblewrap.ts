// The command line of bubblewrap (https://github.com/containers/bubblewrap, bwrap(1)).
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { mountCheck, mountList } from './expected-mounts.ts'

export type Folder = { source: string; at: string; writable: boolean }

export type ConfinedCommand = {
  command: readonly string[]
  env: Readonly<Record<string, string>>
  /** What is seen of this machine beside the system's own programs and libraries. */
  folders: readonly Folder[]
  /** Where it starts; a folder of memory unless one of `folders` is there. */
  workingFolder: string
  memoryMb: number
}

/** Names of folders of the system: programs and libraries, without settings or anybody's data. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** Of settings, what programs need to start, to know the time and to trust certificates. */
const systemSettings = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/alternatives',
  '/etc/ssl',
  '/etc/localtime',
  '/etc/pki',
]

/** Ids inside; outside it remains the account that the platform starts it as. */
const accountId = 1_000

/** Where a command starts unless its operator says otherwise, and the files of a sandbox are. */
export const homeFolder = '/home/user'

const passwd = `user:x:${accountId}:${accountId}::${homeFolder}:/bin/sh\n`
const group = `user:x:${accountId}:\n`

/** Memory that files outside the folders may take: they are lost when the command ends. */
const scratchBytes = (memoryMb: number) => String(Math.min(memoryMb, 256) * 256 * 1024)

/** What is passed beside stdin, stdout and stderr, after these arguments themselves (3). */
const descriptors = { filter: 4, passwd: 5, group: 6 } as const
export const gateDescriptor = 7
/** Where the shell that becomes the command says that it is about to: what comes before is bubblewrap's. */
export const startedDescriptor = 8

/**
 * All options. They are handed over by a descriptor: variables hold secrets, which everybody on
 * the machine could read on a command line, and set for bubblewrap itself `LD_PRELOAD` would run outside.
 */
export function bubblewrapArguments({ env, folders, workingFolder, memoryMb }: ConfinedCommand, withFilter: boolean) {
  const size = scratchBytes(memoryMb)
  return [
    ...['--unshare-user', '--unshare-all', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--uid', String(accountId), '--gid', String(accountId), '--hostname', 'workload', '--cap-drop', 'ALL'],
    ...systemFolders.flatMap(systemFolder),
    ...systemSettings.flatMap((path) => ['--ro-bind-try', path, path]),
    ...nodeFolder(),
    ...['--ro-bind-data', String(descriptors.passwd), '/etc/passwd'],
    ...['--ro-bind-data', String(descriptors.group), '/etc/group'],
    ...['--proc', '/proc', '--dev', '/dev', '--size', size, '--tmpfs', '/tmp', '--size', size, '--tmpfs', homeFolder],
    ...['--size', size, '--tmpfs', '/dev/shm'],
    ...mountedFolders(folders).flatMap(({ source, at, writable }) => [
      writable ? '--bind' : '--ro-bind-try',
      source,
      at,
    ]),
    ...['--remount-ro', '/', '--chdir', workingFolder, '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(withFilter ? ['--seccomp', String(descriptors.filter)] : []),
  ]
}

export const accountFiles = { passwd, group }

/** Threads and processes of one command; Node has eleven before it does anything. */
export const mostProcesses = 128
const largestFileBlocks = 2 * 1024 * 1024

const ulimits = `ulimit -c 0; ulimit -f ${largestFileBlocks}; ulimit -p ${mostProcesses} 2>/dev/null || ulimit -u ${mostProcesses}; `

/** Set inside, by the shell that becomes the command: outside they would count bubblewrap, and everybody of its account. */
export const limited = (command: readonly string[]): string[] => shell(`${ulimits}exec "$@"`, command)

/** The same under bubblewrap, where it first looks at what is mounted, and says that it starts. */
export function limitedInside(command: readonly string[], mounts: readonly string[]): string[] {
  const start = `${ulimits}printf . >&${startedDescriptor}; exec "$@" ${startedDescriptor}>&-`
  if (mounts.length === 0) return shell(start, command)
  return shell(`${mountCheck(mounts)}${start}`, [mountList(mounts), ...command])
}

const shell = (script: string, parameters: readonly string[]) => ['/bin/sh', '-c', script, 'workload', ...parameters]

/** Where the system has joined folders, `/bin` is a link into `/usr`. */
function systemFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

const isSystem = (path: string) => systemFolders.some((folder) => path === folder || path.startsWith(`${folder}/`))

/** What the system's folders show anyway is not mounted once more. */
const needsMount = ({ source, at, writable }: Folder) => writable || source !== at || !isSystem(source)

export const mountedFolders = (folders: readonly Folder[]): Folder[] => folders.filter(needsMount)

/** Node may be installed outside the system's folders, with its libraries beside it. */
function nodeFolder(): string[] {
  const root = dirname(dirname(process.execPath))
  if (isSystem(root) || root === '/') return []
  return existsSync(root) ? ['--ro-bind', root, root] : []
}
