// A control group for each confined command, where this process may make one: cgroups(7), versions 1 and 2.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ControlGroup, type MakeFolder, made, type Parents, read, write } from './control-group-files.ts'
import { makeRoomForGroups, parentGroup } from './delegated-group.ts'

export type Limits = { memoryMb: number; processes: number; cores: number }

/** Undefined where no group can be made; the command is then watched instead. */
export function newControlGroup(parents: Parents | undefined, id: string, limits: Limits): ControlGroup | undefined {
  if (!parents) return undefined
  return parents.version === 2 ? unified(parents, id, limits) : separate(parents, id, limits)
}

/** Tried once: a group is made and removed again. */
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
 * For a program whose control group was handed over to it. Called before it starts other processes: these begin in the
 * group that it is in. Returns undefined if that worked, otherwise the reason.
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
  const separated = {
    version: 1 as const,
    makeFolder,
    memory: join(root, 'memory', own.memory ?? '/'),
    pids: join(root, 'pids', own.pids ?? '/'),
  }
  return [
    ...(folder === undefined ? [] : [true, false].map((cpu) => ({ version: 2 as const, makeFolder, folder, cpu }))),
    { ...separated, cpu: join(root, 'cpu', own.cpu ?? '/') },
    separated,
  ]
}

type Own = { unified?: string; memory?: string; pids?: string; cpu?: string }

/** Lines of /proc/self/cgroup: `0::/path` for version 2, `4:memory:/path` for version 1. */
function ownGroups(): Own {
  const own: Own = {}
  const lines = existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n') : []
  for (const line of lines) {
    const [number, controllers = '', path = '/'] = line.split(':')
    if (number === '0') own.unified = path
    // Of version 1 several may be one: `cpu,cpuacct`.
    for (const name of controllers.split(','))
      if (name === 'memory' || name === 'pids' || name === 'cpu') own[name] = path
  }
  return own
}

/** In each tenth of a second. */
const periodMicroseconds = 100_000
const quota = (cores: number) => Math.round(cores * periodMicroseconds)

/** Against the platform's own processes, where both want more than there is: a quarter of a share. */
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
    if (existsSync(join(folder, 'memory.swap.max'))) write(folder, 'memory.swap.max', 0)
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
    write(memory, 'memory.limit_in_bytes', limits.memoryMb * 1024 * 1024)
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
