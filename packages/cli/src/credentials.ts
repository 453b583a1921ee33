import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { ArgumentError, type Causeway, createCauseway } from '@causeway/client'
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

/** In this order: the environment, `causeway.env` in the current folder, the stored credentials. */
export function readCredentials(terminal: Terminal): Credentials {
  const { CAUSEWAY_URL: url, CAUSEWAY_API_KEY: apiKey } = terminal.env
  if (url && apiKey) return { url, apiKey }
  if (url || apiKey) throw new CommandError('Set both CAUSEWAY_URL and CAUSEWAY_API_KEY, or neither.')
  return credentialsHere(terminal) ?? storedCredentials(fileOf(terminal))
}

/** Both or none: a file must not send the stored key to another address. */
function credentialsHere({ folder }: Terminal): Credentials | undefined {
  let text: string
  try {
    text = readFileSync(join(folder, 'causeway.env'), 'utf8')
  } catch {
    return undefined
  }
  const { CAUSEWAY_URL: url, CAUSEWAY_API_KEY: apiKey } = parseEnv(text)
  return url && apiKey ? { url, apiKey } : undefined
}

function storedCredentials(file: string): Credentials {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new CommandError(
      'Not signed in. Run causeway login, or set CAUSEWAY_URL and CAUSEWAY_API_KEY, also in causeway.env of this folder.',
    )
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
  } catch (error) {
    throw error instanceof ArgumentError ? new CommandError(error.message) : error
  }
}
