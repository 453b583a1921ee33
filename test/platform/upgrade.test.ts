// Data of release 0.3.0 on the schema of this release: functions, their accounts, and a service account.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/kit/database/migrations.ts'
import { migrations } from '../../src/platform/shared/postgres/migrations.ts'
import { keyOfRelease, releaseDatabase } from '../support/releases/release-database.ts'
import { createResource, type PlatformWorld, platformWorld } from '../support/worlds/platform-world.ts'

let provider: Server
let sent: Array<{ path: string; authorization: string | undefined; body: Record<string, string> }>
let database: Awaited<ReturnType<typeof releaseDatabase>>
let applied: string[]
let world: PlatformWorld
let base: string

beforeAll(async () => {
  sent = []
  provider = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    const { url: path = '', headers } = req
    sent.push({ path, authorization: headers.authorization, body: Object.fromEntries(new URLSearchParams(body)) })
    res.setHeader('Content-Type', 'application/json')
    res.end(path === '/token' ? '{"access_token":"access-1","token_type":"Bearer","expires_in":3600}' : '{}')
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const host = `127.0.0.1:${(provider.address() as AddressInfo).port}`
  const files = {
    id: 'files',
    displayName: 'Files',
    endpoints: { authorization: `http://${host}/authorize`, token: `http://${host}/token` },
    account: { from: 'none' },
    scopes: [{ name: 'files' }],
    apiHosts: [host],
    rotation: 'replaces',
    tools: [],
  }
  database = await releaseDatabase('platform', migrations)
  applied = await migrate(database.pool, migrations)
  const env = { DATABASE_URL: database.url, ENCRYPTION_KEYS: `test:${keyOfRelease('encryption').toString('hex')}` }
  world = await platformWorld({ integrations: [files], env })
  base = await world.listen()
})
afterAll(async () => {
  await world.close()
  await database.pool.end()
  provider.close()
})

const namesAt = async (path: string) => {
  const { body } = await world.as(world.admin).get(`/v0/${path}`).expect(200)
  return (body.data ?? body).map(
    (each: { name?: string; metadata?: { name: string } }) => each.metadata?.name ?? each.name,
  )
}

const relayed = (name: string) =>
  fetch(`${base}/acme/functions/${name}/relay/-/files`, { headers: { Authorization: `Bearer ${world.admin.key}` } })

test('only the migrations since that release are applied', () => {
  expect(applied).toEqual(migrations.slice(2).map(({ name }) => name))
})

test('its resources and accounts are listed, and others are added', async () => {
  await createResource(world.as(world.admin), 'drives', 'new', {})

  expect((await namesAt('functions')).sort()).toEqual(['files-ada', 'files-used'])
  expect((await namesAt('drives')).sort()).toEqual(['new', 'papers'])
  expect(await namesAt('service_accounts')).toEqual(['robot'])
})

test('a function refreshes the stored grant of its account', async () => {
  const { status } = await relayed('files-ada')

  expect(status).toBe(200)
  expect(sent).toMatchObject([
    { path: '/token', body: { refresh_token: 'refresh-ada', client_secret: 'client-secret' } },
    { path: '/files', authorization: 'Bearer access-1' },
  ])
})

test('a function uses the access token that it had', async () => {
  sent.length = 0

  const { status } = await relayed('files-used')

  expect(status).toBe(200)
  expect(sent).toMatchObject([{ path: '/files', authorization: 'Bearer access-0' }])
})
