// Notes in small files: one for each interval between two writes to the database, removed once its notes are stored.
import { closeSync, openSync, readlinkSync, writeSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../../kit/process/make-folder.ts'
import type { SpoolPart, UsageSpool } from '../domain/usage.ts'

type Options = {
  /** A note could not be written: it is in memory alone. */
  onError(error: unknown): void
}

/** A file that was not written to for so long is nobody's: a living process begins a new one every second. */
const abandonedMs = 30_000

/**
 * A note is handed to the operating system before `add` returns: a killed process does not take it along. It is not
 * forced onto the disk: that would cost each request milliseconds to guard against a power cut within a second.
 */
export function diskSpool(folder: string, { onError }: Options): UsageSpool {
  attempt(() => {
    // Above it is the data folder, which commands of tenants have to pass where the platform runs as root.
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

/** Process ids mean something only among those who see the same ones: containers on one machine do not. */
const processName = `${hostname()}-${namespaceOf()}`.replace(/[^\w-]/g, '')

function namespaceOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return '' // not Linux: one machine, one list of processes
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
  const written = await stat(join(folder, name)).catch(() => undefined) // stored by somebody meanwhile
  return written !== undefined && Date.now() - written.mtimeMs > abandonedMs
}

/** One with our own number was another one before us. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Only whole notes: a disk that was full may have taken half of one. */
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
