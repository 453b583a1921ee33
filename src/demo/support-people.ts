import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { runCommand } from './child-program.ts'
import { readJson, writePrivate } from './kept-secrets.ts'
import type { Stores } from './stores.ts'

/** The users of the support console. Their passwords are public: they open nothing beyond this machine. */
export const supportPeople = [
  { email: 'agent@causeway.example', password: 'causeway-agent', roles: ['causeway-agent'] },
  { email: 'viewer@causeway.example', password: 'causeway-viewer', roles: ['causeway-viewer'] },
  { email: 'admin@causeway.example', password: 'causeway-admin', roles: ['causeway-admin'] },
]

export const consoleClientId = 'causeway-console'

type Needs = { folder: string; stores: Stores; causeway: string; clientSecret: string }

/** No-op unless something changed, such as the port of Causeway in the redirect URI. */
export async function registerConsole({ folder, stores, causeway, clientSecret }: Needs): Promise<void> {
  const redirectUris = [`${causeway}/support/callback`]
  const client = { clientId: consoleClientId, name: 'Causeway support', clientSecret, redirectUris }
  const document = JSON.stringify({ users: supportPeople, clients: [client] })
  const file = join(folder, 'console.json')
  const madeFor = createHash('sha256').update(`${stores.identity}|${document}`).digest('hex')
  if ((readJson(file) as { madeFor?: string } | undefined)?.madeFor === madeFor) return
  await runCommand('platform', ['apply-identity'], { DATABASE_URL: stores.databases.platform }, document)
  writePrivate(file, { madeFor })
}
