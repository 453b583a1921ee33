// Usage notes in small files: one per interval between two database writes, deleted after its notes are stored.
import { closeSync, openSync, readlinkSync, writeSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../../kit/process/make-folder.ts'
import type { SpoolPart, UsageSpool } from '../domain/usage.ts'

type Options = {
  onError(error: unknown): void
}

/** Processes start a new file every second, so an older file is abandoned. */
const abandonedMs = 30_000

/** Survives a killed process. Not fsynced: that costs milliseconds per request, only for power failures. */
export function diskSpool(folder: string, { onError }: Options): UsageSpool {
  attempt(() => {
    // Tenants' commands pass through the parent, the data folder, if the platform runs as root.
    makeFolder(dirname(folder), 0o711)
    makeFolder(folder, 0o700)
  }, onError)
  const own = new Set<string>()
  let open: { name: string; file: number | undefined; notes: string[] } | undefined
  let count = 0

  const begin = () => {
    const name = `${processName}.${process.pid}.${Date.now()}-${count++}`
    own.add(name)
    return { name, file: attempt(() => openSync(join(folder, name), 'ax', 0o600), onError), notes: [] }
  }
  const partOf = (name: string, notes: readonly string[]): SpoolPart => ({
    notes,
    async remove() {
      await rm(join(folder, name), { force: true })
      own.delete(name)
    },
    abandon: () => void own.delete(name),
  })
  return {
    add(note) {
      open ??= begin()
      const { file, notes } = open
      notes.push(note)
      if (file !== undefined) attempt(() => writeSync(file, `${note}\n`), onError)
    },

    take() {
      if (!open) return undefined
      const { name, file, notes } = open
      open = undefined
      if (file !== undefined) closeSync(file)
      return partOf(name, notes)
    },

    async abandoned() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => !own.has(name))
      const parts = await Promise.all(
        names.map(async (name) =>
          (await isAbandoned(folder, name)) ? [partOf(name, await notesIn(folder, name))] : [],
        ),
      )
      return parts.flat()
    },
  }
}

/** Process IDs are unique only within a PID namespace. */
const processName = `${hostname()}-${namespaceOf()}`.replace(/[^\w-]/g, '')

function namespaceOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return '' // not Linux
  }
}

function attempt<T>(act: () => T, onError: (error: unknown) => void): T | undefined {
  try {
    return act()
  } catch (error) {
    onError(error)
    return undefined
  }
}

async function isAbandoned(folder: string, name: string): Promise<boolean> {
  const [owner, pid] = name.split('.')
  if (owner === processName && !isRunning(Number(pid))) return true
  const written = await stat(join(folder, name)).catch(() => undefined) // already stored and removed
  return written !== undefined && Date.now() - written.mtimeMs > abandonedMs
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Skips incomplete notes, which a full disk may leave. */
async function notesIn(folder: string, name: string): Promise<string[]> {
  const text = await readFile(join(folder, name), 'utf8').catch(() => '')
  return text.split('\n').filter(isWhole)
}

function isWhole(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
