// `npm start -- --sample`: tenants with a history, made by calling the API with a misbehaving provider as the app.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { freePort } from '../../kit/embedded/free-port.ts'
import { listen } from '../../kit/http/http-server.ts'
import type { Config } from '../config.ts'
import { jsonApi } from '../json-api.ts'
import { readJson, writePrivate } from '../kept-secrets.ts'
import type { Lifetime } from '../lifetime.ts'
import { integrationEntry } from '../misbehave/domain/integration-entry.ts'
import { startMisbehavingProvider } from '../misbehave/server.ts'
import type { Stores } from '../stores.ts'
import { makeHistory } from './history.ts'
import { moveIntoPast } from './past.ts'

const SampleFile = z.object({ madeFor: z.string(), isComplete: z.boolean() })

const drawn = (color: string, shape: string): string => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="${color}" stroke-width="2" stroke-linejoin="round">${shape}</svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}

const apps = [
  {
    id: 'sample-mail',
    displayName: 'Sample Mail',
    description: 'Read the mail that customers send you.',
    reads: 'Read your mail',
    color: '#B4451F',
    shape: '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3 7 9 6 9-6"/>',
  },
  {
    id: 'sample-chat',
    displayName: 'Sample Chat',
    description: 'Follow the conversations of your team.',
    reads: 'Read your messages',
    color: '#5B3FA8',
    shape: '<path d="M4 5h16v11h-9l-5 4v-4H4z"/>',
  },
  {
    id: 'sample-notes',
    displayName: 'Sample Notes',
    description: 'Find what your team has written down.',
    reads: 'Read your notes',
    color: '#0B6B61',
    shape: '<path d="M5 3h14v18H5zM9 8h6M9 12h6M9 16h3"/>',
  },
]

export type Sample = NonNullable<Awaited<ReturnType<typeof startSample>>>

type SampleAccess = { causeway: string; causewayKey: string; platform: string; platformKey: string }

/** Returns undefined unless the sample is asked for or an earlier start has made it. `npm run reset` removes it. */
export async function startSample({ folder, withSample, databaseUrl }: Config, stores: Stores, lifetime: Lifetime) {
  const file = join(folder, 'sample.json')
  const madeFor = createHash('sha256').update(stores.identity).digest('hex').slice(0, 16)
  const { data: made } = SampleFile.safeParse(readJson(file))
  const isThere = made?.madeFor === madeFor
  if (!withSample && !isThere) return undefined
  const [provider, receiver] = [await startProvider(lifetime), await startReceiver(lifetime)]
  // The provider forgets its grants when the demo ends, so regular checks would break every connection of the sample.
  const health = { tool: 'list_files', everySeconds: 90 * 86_400 }
  const integrations = apps.map(({ reads, shape, ...shown }) => {
    const app = { ...shown, icon: drawn(shown.color, shape) }
    const instance = provider.instance(app.id)
    instance.switches.consent = 'page'
    const permissions = { 'files.read': reads }
    instance.brand = { name: app.displayName, client: 'Causeway', icon: app.icon, color: app.color, permissions }
    const entry = integrationEntry(instance, app.id)
    const scopes = entry.scopes?.map((scope) => (scope.name === 'openid' ? scope : { ...scope, description: reads }))
    return { ...entry, ...app, scopes, health }
  })
  return {
    integrations,
    providerHost: new URL(provider.url).host,
    receiverHost: new URL(receiver).host,
    isComplete: isThere && made.isComplete,
    async fill({ causeway, causewayKey, platform, platformKey }: SampleAccess): Promise<void> {
      writePrivate(file, { madeFor, isComplete: false })
      const since = new Date()
      await makeHistory({
        causeway: jsonApi(`${causeway}/api/v1`, causewayKey),
        platform: jsonApi(`${platform}/v0`, platformKey),
        apps: apps.map(({ id }) => provider.instance(id)),
        receiver,
      })
      if (!databaseUrl) await moveIntoPast(stores.databases.onboarding, since)
      writePrivate(file, { madeFor, isComplete: true })
    },
  }
}

const startProvider = (lifetime: Lifetime) =>
  lifetime.keep(
    async () => startMisbehavingProvider({ host: '127.0.0.1', port: await freePort(3400) }),
    ({ close }) => close(),
  )

/** Receives the tenants' webhooks and answers with the status in the path. */
async function startReceiver(lifetime: Lifetime): Promise<string> {
  const { port } = await lifetime.keep(
    async () => {
      const at = { host: '127.0.0.1', port: await freePort(3401) }
      return listen((req, res) => void res.writeHead(Number(req.url?.slice(1))).end(), at)
    },
    ({ close }) => close(0),
  )
  return `http://127.0.0.1:${port}`
}
