import { spawnSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError } from '../errors.ts'

/** Two that listen would each forward every event. Returns how to unlock. */
export function lock(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const own = `${path}.${process.pid}`
  writeFileSync(own, `${process.pid} ${startOf(process.pid)}`, { mode: 0o600 })
  try {
    take(own, path)
  } finally {
    rmSync(own, { force: true })
  }
  return () => rmSync(path, { force: true })
}

/** The process that has the lock, if it is still running. */
export function holderOf(path: string): number | undefined {
  const [pid, start] = contentOf(path)
  return pid !== undefined && isAlive(pid) && startOf(pid) === start ? pid : undefined
}

/** A link is made whole or not at all, with the number in it. One of a process that is gone is removed first. */
function take(own: string, path: string): void {
  const holder = holderOf(path)
  if (holder !== undefined && holder !== process.pid) throw inUse(holder)
  if (existsSync(path)) rmSync(path, { force: true })
  try {
    linkSync(own, path)
  } catch {
    throw inUse(holderOf(path))
  }
}

const inUse = (holder: number | undefined) =>
  new CommandError(`causeway listen is running for this tenant already${holder ? `, as process ${holder}` : ''}.`)

function contentOf(path: string): [pid?: number | undefined, start?: string] {
  try {
    const [pid, ...start] = readFileSync(path, 'utf8').split(' ')
    return [Number(pid) || undefined, start.join(' ')]
  } catch {
    return []
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** When a process began: its number alone is given to another one in time. Empty where the system does not say. */
function startOf(pid: number): string {
  try {
    // The twentieth field behind the name, which may have spaces in it (proc_pid_stat(5): starttime is the 22nd).
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? ''
  } catch {
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? ''
  }
}
