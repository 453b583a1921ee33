// A control group for each confined command, where this process may make one: cgroups(7), versions 1 and 2.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type ControlGroup = {
  add(pid: number): void
  /** Whether the kernel ended something in it for want of memory. */
  ranOutOfMemory(): boolean
  remove(): void
}

export type Limits = { memoryMb: number; processes: number }

/** One folder (version 2), or one for each kind of limit (version 1). */
type Parents = { version: 2; folder: string } | { version: 1; memory: string; pids: string }

/** Undefined where no group can be made; the command is then watched instead. */
export function newControlGroup(parents: Parents | undefined, id: string, limits: Limits): ControlGroup | undefined {
  if (!parents) return undefined
  return parents.version === 2 ? unified(parents.folder, id, limits) : separate(parents, id, limits)
}

/** Tried once: a group is made and removed again. */
export function findControlGroups(root = '/sys/fs/cgroup', own = ownGroups()): Parents | undefined {
  const candidates: Parents[] = [
    ...(own.unified === undefined ? [] : [{ version: 2 as const, folder: join(root, own.unified) }]),
    { version: 1, memory: join(root, 'memory', own.memory ?? '/'), pids: join(root, 'pids', own.pids ?? '/') },
  ]
  return candidates.find((parents) => {
    const trial = newControlGroup(parents, `causeway-trial-${process.pid}`, { memoryMb: 64, processes: 8 })
    trial?.remove()
    return trial !== undefined
  })
}

type Own = { unified?: string; memory?: string; pids?: string }

/** Lines of /proc/self/cgroup: `0::/path` for version 2, `4:memory:/path` for version 1. */
function ownGroups(): Own {
  const own: Own = {}
  const lines = existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n') : []
  for (const line of lines) {
    const [number, controllers, path] = line.split(':')
    if (number === '0') own.unified = path ?? '/'
    if (controllers === 'memory') own.memory = path ?? '/'
    if (controllers === 'pids') own.pids = path ?? '/'
  }
  return own
}

function unified(parent: string, id: string, { memoryMb, processes }: Limits): ControlGroup | undefined {
  const folder = join(parent, id)
  return made([folder], () => {
    write(folder, 'memory.max', memoryMb * 1024 * 1024)
    write(folder, 'pids.max', processes)
    if (existsSync(join(folder, 'memory.swap.max'))) write(folder, 'memory.swap.max', 0)
    return {
      add: (pid) => write(folder, 'cgroup.procs', pid),
      ranOutOfMemory: () => /^oom_kill [1-9]/m.test(read(folder, 'memory.events')),
    }
  })
}

function separate(parents: { memory: string; pids: string }, id: string, limits: Limits): ControlGroup | undefined {
  const [memory, pids] = [join(parents.memory, id), join(parents.pids, id)]
  return made([memory, pids], () => {
    write(memory, 'memory.limit_in_bytes', limits.memoryMb * 1024 * 1024)
    write(pids, 'pids.max', limits.processes)
    return {
      add: (pid) => {
        write(memory, 'cgroup.procs', pid)
        write(pids, 'cgroup.procs', pid)
      },
      ranOutOfMemory: () => /^oom_kill [1-9]/m.test(read(memory, 'memory.oom_control')),
    }
  })
}

function made(folders: string[], open: () => Omit<ControlGroup, 'remove'>): ControlGroup | undefined {
  const remove = () => folders.forEach(removeGroup)
  try {
    // A version 2 group has no files of limits where its parent does not pass them on: writing them then fails.
    for (const folder of folders) mkdirSync(folder)
    return { ...open(), remove }
  } catch {
    remove()
    return undefined
  }
}

const write = (folder: string, file: string, value: number) =>
  writeFileSync(join(folder, file), String(value), { flag: 'r+' })

function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch {
    return ''
  }
}

/** A group cannot be removed before the last of its processes is gone, which the kernel says a little late. */
function removeGroup(folder: string, attempt = 0): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === 'EBUSY'
    if (isBusy && attempt < 20) setTimeout(() => removeGroup(folder, attempt + 1), 50 * (attempt + 1)).unref()
  }
}
