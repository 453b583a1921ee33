import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Causeway, createCauseway } from '@causeway/client'
import { CommandError } from './errors.ts'
import type { Terminal } from './terminal.ts'

export type Credentials = { url: string; apiKey: string }

const fileOf = ({ configFolder }: Terminal) => join(configFolder, 'credentials.json')

/** Only the current account can read the file, from its creation on. */
export function storeCredentials(terminal: Terminal, { url, apiKey }: Credentials): string {
  const file = fileOf(terminal)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  writeFileSync(next, `${JSON.stringify({ url, apiKey }, undefined, 2)}\n`, { mode: 0o600 })
  chmodSync(next, 0o600)
  renameSync(next, file)
  return file
}

export const forgetCredentials = (terminal: Terminal): void => rmSync(fileOf(terminal), { force: true })

/** The environment takes precedence over the file. */
export function readCredentials(terminal: Terminal): Credentials {
  const { CAUSEWAY_URL: url, CAUSEWAY_API_KEY: apiKey } = terminal.env
  if (url && apiKey) return { url, apiKey }
  if (url || apiKey) throw new CommandError('Set both CAUSEWAY_URL and CAUSEWAY_API_KEY, or neither.')
  return storedCredentials(fileOf(terminal))
}

function storedCredentials(file: string): Credentials {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new CommandError('Not signed in. Run causeway login, or set CAUSEWAY_URL and CAUSEWAY_API_KEY.')
  }
  try {
    const { url, apiKey } = JSON.parse(text)
    if (typeof url === 'string' && typeof apiKey === 'string') return { url, apiKey }
  } catch {
    // Reported below without the content, which may include the key.
  }
  throw new CommandError(`${file} cannot be read. Run causeway login again.`)
}

export function openClient(terminal: Terminal): Causeway {
  const { url, apiKey } = readCredentials(terminal)
  return clientFor({ url, apiKey })
}

export function clientFor({ url, apiKey }: Credentials): Causeway {
  try {
    return createCauseway({ url, apiKey, timeoutMs: 10_000 })
  } catch {
    throw new CommandError(`“${url}” is not the address of a deployment: it must begin with https://.`)
  }
}
