// The command line of bubblewrap (https://github.com/containers/bubblewrap, bwrap(1)).
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { EngineRun, Folder, TemporaryFolder } from '../../domain/engine.ts'
import { doorDescriptor, openDoor, trustDescriptor, trustFile, withDoor } from './door.ts'
import { mountCheck, mountList } from './expected-mounts.ts'

export type ConfinedCommand = Pick<EngineRun, 'command' | 'env' | 'folders' | 'temporary' | 'memoryMb' | 'door'> & {
  workingFolder: string
  /** Limits a single file. */
  maxFileMb?: number
}

/** Programs and libraries, without settings or data. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

const systemSettings = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/alternatives',
  '/etc/ssl',
  '/etc/localtime',
  '/etc/pki',
]

/** IDs inside. Outside, the command runs as the account of the platform. */
export const accountId = 1_000

/** A folder in memory unless a command has its own root. */
export const homeFolder = '/home/user'

const passwd = `user:x:${accountId}:${accountId}::${homeFolder}:/bin/sh\n`
const group = `user:x:${accountId}:\n`

const scratchBytes = (memoryMb: number) => String(Math.min(memoryMb, 256) * 256 * 1024)

/** Descriptors besides stdin, stdout and stderr. 3 passes the arguments. */
const descriptors = { filter: 4, passwd: 5, group: 6 } as const
export const gateDescriptor = 7
/** The shell writes here before it executes the command. Earlier output comes from bubblewrap. */
export const startedDescriptor = 8

/**
 * Passed by a descriptor: variables may be secret, and a command line is readable by every process. As variables of
 * bubblewrap itself, `LD_PRELOAD` would run code outside.
 */
export function bubblewrapArguments(confined: ConfinedCommand, withFilter: boolean) {
  const { env, folders, temporary = [], workingFolder, memoryMb, door } = confined
  const root = rootOf(folders)
  const inMemory = (path: string) => ['--size', scratchBytes(memoryMb), '--tmpfs', path]
  return [
    ...['--unshare-user', '--unshare-all', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--uid', String(accountId), '--gid', String(accountId), '--hostname', 'workload', '--cap-drop', 'ALL'],
    ...(root ? [...bound(root), ...systemFolders.flatMap(coveringFolder)] : systemFolders.flatMap(systemFolder)),
    ...[...inMemory('/etc'), ...systemSettings.flatMap((path) => ['--ro-bind-try', path, path])],
    ...['--ro-bind-data', String(descriptors.passwd), '/etc/passwd'],
    ...['--ro-bind-data', String(descriptors.group), '/etc/group'],
    ...(door ? ['--ro-bind-data', String(trustDescriptor), trustFile] : []),
    ...['--remount-ro', '/etc'],
    ...(root ? [...inMemory('/run'), ...nodeFolder(nodeInRoot), '--remount-ro', '/run'] : nodeFolder()),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...scratchFolders(folders).flatMap(inMemory),
    ...temporary.flatMap(temporaryFolder),
    // The folder of devices is also a tmpfs, without a size.
    ...['--remount-ro', '/dev'],
    ...mountedFolders(folders)
      .filter((folder) => folder !== root)
      .flatMap(bound),
    ...(root ? [] : ['--remount-ro', '/']),
    ...['--chdir', workingFolder, '--clearenv'],
    ...Object.entries(withDoor(env, door)).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(withFilter ? ['--seccomp', String(descriptors.filter)] : []),
  ]
}

export const accountFiles = { passwd, group }

const temporaryFolder = ({ at, maxMb, readOnly }: TemporaryFolder) => [
  ...['--perms', '1777', '--size', String(maxMb * 1024 * 1024), '--tmpfs', at],
  ...(readOnly ? ['--remount-ro', at] : []),
]

const rootOf = (folders: readonly Folder[]) => folders.find(({ at }) => at === '/')

const bound = ({ source, at, writable }: Folder) => [writable ? '--bind' : '--ro-bind-try', source, at]

/** Folders in memory. A folder of the command may cover them. */
export const scratchFolders = (folders: readonly Folder[]): string[] =>
  rootOf(folders) ? ['/dev/shm'] : ['/tmp', homeFolder, '/dev/shm']

/** Threads and processes of a command. Node starts with eleven. */
export const maxProcesses = 128
const maxDescriptors = 1_024
const maxFileMb = 1_024
const blocksPerMb = 2 * 1024

const ulimits = (command: ConfinedCommand) =>
  [
    'ulimit -c 0',
    `ulimit -n ${maxDescriptors}`,
    `ulimit -f ${Math.floor(Math.min(command.maxFileMb ?? maxFileMb, maxFileMb) * blocksPerMb)}`,
    `ulimit -p ${maxProcesses} 2>/dev/null || ulimit -u ${maxProcesses}`,
  ].join('; ')

/** Private memory of each process. Stacks of threads count in full, so they are small. */
const memoryUlimits = ({ memoryMb }: ConfinedCommand) =>
  `ulimit -S -s 2048; ulimit -d ${Math.floor(memoryMb * 1.25 * 1024)}`

/** Set inside, because outside they would also count bubblewrap and other processes of the account. */
export const limited = (confined: ConfinedCommand): string[] =>
  shell(`${ulimits(confined)}; exec "$@"`, confined.command)

export function limitedInside(confined: ConfinedCommand, mounts: readonly string[], hasGroup: boolean): string[] {
  const { command, door, folders } = confined
  const limits = hasGroup ? ulimits(confined) : `${ulimits(confined)}; ${memoryUlimits(confined)}`
  const own = [startedDescriptor, ...(door ? [doorDescriptor] : [])].map((descriptor) => `${descriptor}>&-`).join(' ')
  const start = `${door ? openDoor(nodeInside(folders)) : ''}${limits}; printf . >&${startedDescriptor}; exec "$@" ${own}`
  if (mounts.length === 0) return shell(start, command)
  return shell(`${mountCheck(mounts)}${start}`, [mountList(mounts), ...command])
}

/**
 * Counts inside bubblewrap, where links lead nowhere, and reads folders that their owner can't (capabilities(7)). Every
 * entry counts as at least 8 kB, which limits their number.
 */
export function countArguments(folders: readonly string[], enoughMb: number): string[] {
  const at = folders.map((_, index) => `/counted/${index}`)
  const add = `{ kb += $1 + 8 } kb > ${enoughMb * 1024} { exit } END { print kb / 1024 }`
  return [
    ...['--unshare-user', '--unshare-all', '--die-with-parent', '--new-session'],
    ...[
      '--uid',
      String(accountId),
      '--gid',
      String(accountId),
      '--cap-drop',
      'ALL',
      '--cap-add',
      'CAP_DAC_READ_SEARCH',
    ],
    ...systemFolders.flatMap(systemFolder),
    ...['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
    ...folders.flatMap((folder, index) => ['--ro-bind', folder, `/counted/${index}`]),
    ...shell(`find "$@" -xdev -printf '%k\\n' | awk '${add}'`, at),
  ]
}

const shell = (script: string, parameters: readonly string[]) => ['/bin/sh', '-c', script, 'workload', ...parameters]

/** On merged-usr systems, `/bin` is a link into `/usr`. */
function systemFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/** For a root that a tenant can write: no link is created or followed in it, and no system folder is left open. */
const coveringFolder = (path: string): string[] =>
  existsSync(path) ? ['--ro-bind', path, path] : ['--tmpfs', path, '--remount-ro', path]

const isSystem = (path: string) => systemFolders.some((folder) => path === folder || path.startsWith(`${folder}/`))

const needsMount = ({ source, at, writable }: Folder) => writable || source !== at || !isSystem(source)

export const mountedFolders = (folders: readonly Folder[]): Folder[] => folders.filter(needsMount)

const nodeInRoot = '/run/node'

const nodeRoot = () => dirname(dirname(process.execPath))

const isNodeElsewhere = () => !isSystem(nodeRoot()) && nodeRoot() !== '/'

/** Node may be installed outside the system folders, with its libraries next to it. */
function nodeFolder(at = nodeRoot()): string[] {
  return isNodeElsewhere() && existsSync(nodeRoot()) ? ['--ro-bind', nodeRoot(), at] : []
}

const nodeInside = (folders: readonly Folder[]): string =>
  rootOf(folders) && isNodeElsewhere() ? join(nodeInRoot, 'bin', basename(process.execPath)) : process.execPath
