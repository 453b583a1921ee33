// What `listen` remembers from one run to the next, written so that no end of the process, however sudden, loses it.
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from '../errors.ts'

export type ListenState = {
  /** Signs what is forwarded, the same in every run. */
  secret: string
  /** Events behind it have not been answered yet. Null: no event has been. Undefined: nobody has listened yet. */
  cursor?: string | null | undefined
  /** May have been received, and is not known to be answered. */
  sending?: string | undefined
  /** The last one that was answered. */
  last?: { id: string; status: number } | undefined
}

export type StateFile = { path: string; read(): ListenState | undefined; write(state: ListenState): void }

/** One for each deployment and tenant. */
export function stateFile(folder: string, about: { url: string; tenantId: string }): StateFile {
  const name = createHash('sha256').update(`${about.url}\n${about.tenantId}`).digest('hex').slice(0, 16)
  return stateFileAt(join(folder, 'listen', `${name}.json`))
}

export const stateFileAt = (path: string): StateFile => ({
  path,
  read() {
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
    return parsed(text, path)
  },
  write(state) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const next = `${path}.next`
    const file = openSync(next, 'w', 0o600)
    writeSync(file, JSON.stringify(state))
    // On the disk before its name is: whoever cuts the power meets the old content or the new one.
    fsyncSync(file)
    closeSync(file)
    renameSync(next, path)
  },
})

function parsed(text: string, path: string): ListenState {
  try {
    const { secret, cursor, sending, last } = JSON.parse(text)
    if (typeof secret === 'string') return { secret, cursor, sending, last }
  } catch {
    // Told below.
  }
  throw new CommandError(`${path} cannot be read. Delete it to begin anew, with another signing secret.`)
}

/** As Standard Webhooks writes them. */
export const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`
