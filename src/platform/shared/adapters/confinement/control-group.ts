// A control group per confined command, if this process may create one: cgroups(7), versions 1 and 2.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export type ControlGroup = {
  add(pid: number): void
  ranOutOfMemory(): boolean
  remove(): void
}

/** One folder in version 2, one per controller in version 1. `cpu` may be unavailable. */
type Parents = (
  | { version: 2; folder: string; cpu: boolean }
  | { version: 1; memory: string; pids: string; cpu?: string }
) & {
  makeFolder: MakeFolder
}

/** In the cgroup file system, the kernel fills new folders with files. */
type MakeFolder = (path: string) => unknown

type Limits = { memoryMb: number; processes: number; cores: number }

/** Returns undefined if no group can be created. The command is then watched instead. */
export function newControlGroup(parents: Parents | undefined, id: string, limits: Limits): ControlGroup | undefined {
  if (!parents) return undefined
  return parents.version === 2 ? unified(parents, id, limits) : separate(parents, id, limits)
}

export function findControlGroups(
  root = '/sys/fs/cgroup',
  own = ownGroups(),
  makeFolder: MakeFolder = mkdirSync,
): Parents | undefined {
  return candidates(root, own, makeFolder).find((parents) => {
    const trial = newControlGroup(parents, `causeway-trial-${process.pid}`, { memoryMb: 64, processes: 8, cores: 1 })
    trial?.remove()
    return trial !== undefined
  })
}

/**
 * For a program with a delegated control group. Must run before other processes are started, because they inherit the
 * group. Returns the reason if it fails.
 */
export function enterDelegatedGroup(
  root = '/sys/fs/cgroup',
  own = ownGroups(),
  makeFolder: MakeFolder = mkdirSync,
): string | undefined {
  if (own.unified === undefined) return 'there are no control groups of version 2'
  try {
    makeRoomForGroups(root, own.unified, makeFolder)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function candidates(root: string, own: Own, makeFolder: MakeFolder): Parents[] {
  const folder = own.unified === undefined ? undefined : join(root, parentGroup(own.unified))
  return [
    ...(folder === undefined ? [] : [true, false].map((cpu) => ({ version: 2 as const, makeFolder, folder, cpu }))),
    ...separateCandidates(root, own, makeFolder),
    // In a container of version 1, the paths are those of the machine, and the container's own group is mounted.
    ...separateCandidates(root, {}, makeFolder),
  ]
}

function separateCandidates(root: string, own: Own, makeFolder: MakeFolder): Parents[] {
  const limited = {
    version: 1 as const,
    makeFolder,
    memory: join(root, 'memory', own.memory ?? '/'),
    pids: join(root, 'pids', own.pids ?? '/'),
  }
  return [{ ...limited, cpu: join(root, 'cpu', own.cpu ?? '/') }, limited]
}

type Own = { unified?: string; memory?: string; pids?: string; cpu?: string }

/** Lines of /proc/self/cgroup: `0::/path` for version 2, `4:memory:/path` for version 1. */
function ownGroups(): Own {
  const own: Own = {}
  const lines = existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n') : []
  for (const line of lines) {
    const [number, controllers = '', path = '/'] = line.split(':')
    if (number === '0') own.unified = path
    // Version 1 may combine controllers: `cpu,cpuacct`.
    for (const name of controllers.split(','))
      if (name === 'memory' || name === 'pids' || name === 'cpu') own[name] = path
  }
  return own
}

const periodMicroseconds = 100_000
const quota = (cores: number) => Math.round(cores * periodMicroseconds)

/** A quarter of the platform's own share under contention. */
const weight = { version1: 256, version2: 25 }

type ParentsOf<Version> = Extract<Parents, { version: Version }>

function unified(parents: ParentsOf<2>, id: string, { memoryMb, processes, cores }: Limits): ControlGroup | undefined {
  const folder = join(parents.folder, id)
  return made(parents, [folder], () => {
    write(folder, 'memory.max', memoryMb * 1024 * 1024)
    write(folder, 'pids.max', processes)
    if (parents.cpu) {
      write(folder, 'cpu.max', `${quota(cores)} ${periodMicroseconds}`)
      write(folder, 'cpu.weight', weight.version2)
    }
    writeIfThere(folder, 'memory.swap.max', 0)
    return {
      add: (pid) => write(folder, 'cgroup.procs', pid),
      ranOutOfMemory: () => /^oom_kill [1-9]/m.test(read(folder, 'memory.events')),
    }
  })
}

function separate(parents: ParentsOf<1>, id: string, limits: Limits): ControlGroup | undefined {
  const [memory, pids] = [join(parents.memory, id), join(parents.pids, id)]
  const cpu = parents.cpu === undefined ? [] : [join(parents.cpu, id)]
  return made(parents, [memory, pids, ...cpu], () => {
    const bytes = limits.memoryMb * 1024 * 1024
    write(memory, 'memory.limit_in_bytes', bytes)
    // Version 1 counts swap and the queues of TCP connections separately.
    writeIfThere(memory, 'memory.memsw.limit_in_bytes', bytes)
    writeIfThere(memory, 'memory.kmem.tcp.limit_in_bytes', bytes / 8)
    write(pids, 'pids.max', limits.processes)
    for (const folder of cpu) {
      write(folder, 'cpu.cfs_period_us', periodMicroseconds)
      write(folder, 'cpu.cfs_quota_us', quota(limits.cores))
      write(folder, 'cpu.shares', weight.version1)
    }
    return {
      add: (pid) => {
        for (const folder of [memory, pids, ...cpu]) write(folder, 'cgroup.procs', pid)
      },
      ranOutOfMemory: () => /^oom_kill [1-9]/m.test(read(memory, 'memory.oom_control')),
    }
  })
}

function made(
  { makeFolder }: Parents,
  folders: string[],
  open: () => Omit<ControlGroup, 'remove'>,
): ControlGroup | undefined {
  const remove = () => folders.forEach(removeGroup)
  try {
    // Writing a limit fails in version 2 if the parent does not delegate the controller.
    for (const folder of folders) makeFolder(folder)
    return { ...open(), remove }
  } catch {
    remove()
    return undefined
  }
}

const write = (folder: string, file: string, value: number | string) =>
  writeFileSync(join(folder, file), String(value), { flag: 'r+' })

function writeIfThere(folder: string, file: string, value: number): void {
  if (existsSync(join(folder, file))) write(folder, file, value)
}

function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch {
    return ''
  }
}

/** A group can be removed only after its last process has ended, which the kernel reports with a delay. */
function removeGroup(folder: string, attempt = 0): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === 'EBUSY'
    if (isBusy && attempt < 20) setTimeout(() => removeGroup(folder, attempt + 1), 50 * (attempt + 1)).unref()
  }
}

const programGroup = 'program'

const isProgramGroup = (own: string) => basename(own) === programGroup

const parentGroup = (own: string): string => (isProgramGroup(own) ? dirname(own) : own)

/**
 * A group with processes can't pass limits to its subgroups (cgroups(7), "no internal processes"), so the program moves
 * into a subgroup unless `DelegateSubgroup=` already did.
 */
function makeRoomForGroups(root: string, own: string, makeFolder: MakeFolder): void {
  const folder = join(root, parentGroup(own))
  if (!isProgramGroup(own)) {
    enter(join(folder, programGroup), makeFolder)
  }
  const hasCpu = read(folder, 'cgroup.controllers').split(/\s/).includes('cpu')
  write(folder, 'cgroup.subtree_control', hasCpu ? '+memory +pids +cpu' : '+memory +pids')
}

function enter(group: string, makeFolder: MakeFolder): void {
  makeFolder(group)
  try {
    write(group, 'cgroup.procs', process.pid)
  } catch (error) {
    rmdirSync(group)
    throw error
  }
}
