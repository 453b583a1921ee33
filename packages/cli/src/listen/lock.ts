import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError } from '../errors.ts'

/** Two that listen would each forward every event. Returns how to unlock. */
export function lock(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const own = `${path}.${process.pid}`
  writeFileSync(own, String(process.pid), { mode: 0o600 })
  try {
    take(own, path)
  } finally {
    rmSync(own, { force: true })
  }
  return () => rmSync(path, { force: true })
}

/** A link is made whole or not at all, with the number in it. One of a process that is gone is removed first. */
function take(own: string, path: string): void {
  const holder = holderOf(path)
  if (holder !== undefined && holder !== process.pid && isAlive(holder)) throw inUse(holder)
  if (holder !== undefined) rmSync(path, { force: true })
  try {
    linkSync(own, path)
  } catch {
    throw inUse(holderOf(path))
  }
}

const inUse = (holder: number | undefined) =>
  new CommandError(`causeway listen is running for this tenant already${holder ? `, as process ${holder}` : ''}.`)

function holderOf(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8')) || undefined
  } catch {
    return undefined
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
