// Hosts that the owners of previews choose: prefixes below the sandbox domain, and verified custom domains.
import { get, type IncomingMessage } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { createResource, platformWorld, replaceResource } from '../../support/worlds/platform-world.ts'

const records: Record<string, string[]> = {}
const world = await platformWorld({
  env: { SANDBOX_DOMAIN: 'sandboxes.example' },
  adapters: { txtRecords: async (name) => records[name] ?? [] },
})
const api = world.as(world.admin)
const other = world.as(await world.enter('other', 'admin@other.example', 'others'))
for (const [client, text] of [
  [api, 'mine'],
  [other, 'theirs'],
] as const) {
  await createResource(client, 'sandboxes', 'box', { runtime: { memory: 256 } })
  const body = { command: `echo ${text} > /whose`, waitForCompletion: true }
  await client
    .post(`/${text === 'mine' ? 'acme' : 'other'}/sandboxes/box/process`)
    .send(body)
    .expect(200)
}
const { port } = new URL(await world.listen())
afterAll(() => world.close())

const previews = '/v0/sandboxes/box/previews'
const preview = (name: string, spec: object) => ({ metadata: { name }, spec: { port: 443, public: true, ...spec } })
const create = (name: string, spec: object, client = api) => client.post(previews).send(preview(name, spec))

/** By the server itself, which decides about hosts before the app does. */
const ask = (host: string, path = '/filesystem/%2Fwhose') =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const read = async (res: IncomingMessage) => {
      let text = ''
      for await (const part of res) text += part
      resolve({ status: res.statusCode ?? 0, text })
    }
    get({ host: '127.0.0.1', port, path, headers: { host } }, (res) => void read(res).catch(reject)).on('error', reject)
  })

test('a preview has the host that its prefix names', async () => {
  const { body } = await create('named', { prefixUrl: 'My-Shop' }).expect(200)
  const { hostname: host } = new URL(body.spec.url)

  const answer = await ask(host)
  await api
    .put(`${previews}/named`)
    .send(preview('named', { prefixUrl: 'other-shop' }))
    .expect(200)
  const before = await ask(host)

  expect(host).toBe('pv-my-shop-acme.local.sandboxes.example')
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('mine')])
  expect([before.status, (await ask('pv-other-shop-acme.local.sandboxes.example')).status]).toEqual([404, 200])
})

test('a host belongs to one preview, also if two workspaces could have it', async () => {
  await create('first', { prefixUrl: 'taken' }).expect(200)
  const like = world.as(await world.enter('x-acme', 'admin@x.example', 'exes'))
  await createResource(like, 'sandboxes', 'box', { runtime: { memory: 256 } })
  await create('long', { prefixUrl: 'a-x' }).expect(200)

  const same = await create('second', { prefixUrl: 'taken' })
  const theirs = await create('theirs', { prefixUrl: 'a' }, like)
  const free = await create('free', { prefixUrl: 'b' }, like)

  expect([same.status, theirs.status, free.status]).toEqual([409, 409, 200])
})

test.each([
  ['with other characters', { prefixUrl: 'a.b' }],
  ['that begins with a hyphen', { prefixUrl: '-a' }],
  ['that is too long with the workspace', { prefixUrl: 'a'.repeat(60) }],
  ['for a domain that is not verified', { prefixUrl: 'a', customDomain: 'unproven.example' }],
])('a prefix %s is rejected', async (_what, spec) => {
  expect((await create('wrong', spec)).status).toBe(400)
})

async function domain(client: typeof api, name: string, value: string) {
  await createResource(client, 'customdomains', name, { domain: value })
  const read = async () => (await client.get(`/v0/customdomains/${name}`)).body
  return { read, records: (await read()).spec.txtRecords as Record<string, string> }
}

async function proven(client: typeof api, name: string, value: string) {
  const { read, records: wanted } = await domain(client, name, value)
  for (const [at, proof] of Object.entries(wanted)) records[at] = [...(records[at] ?? []), proof]
  await world.pool.query(`update resources set state = '{}' where kind = 'customdomain' and name = $1`, [name])
  await world.verifyDomains()
  return read()
}

test('a domain is verified by its TXT record, and then serves previews at it and below it', async () => {
  const { spec, events } = await proven(api, 'shop', 'shop.example')
  await create('root', { customDomain: 'shop.example' }).expect(200)
  const { body } = await create('below', { customDomain: 'shop.example', prefixUrl: 'eu' }).expect(200)
  await create('deep', { customDomain: 'de.eu.shop.example' }).expect(200)
  await world.verifyDomains()

  const answers = await Promise.all(
    ['shop.example', 'EU.shop.example:8443', 'de.eu.shop.example'].map((host) => ask(host)),
  )
  const page = await ask('shop.example', '/v0/sandboxes')

  expect([spec.status, events.at(-1).type, spec.cnameRecords]).toEqual(['verified', 'verification', '127.0.0.1'])
  expect(body.spec.url).toMatch(/^http:\/\/eu\.shop\.example(:\d+)?$/)
  expect(answers.map(({ status, text }) => [status, text.includes('mine')])).toEqual(Array(3).fill([200, true]))
  expect(page.status).toBe(404)
  expect((await ask('us.shop.example')).status).toBe(421)
})

test('a domain without its record is not verified, and neither is one with the record of another resource', async () => {
  const mine = await domain(api, 'pending', 'pending.example')
  const theirs = await domain(other, 'pending', 'pending.example')
  records['_platform-verification.pending.example'] = ['x', ...Object.values(theirs.records)]
  await world.pool.query(`update resources set state = '{}' where kind = 'customdomain' and name = 'pending'`)
  await world.verifyDomains()

  const { spec } = await mine.read()

  expect([spec.status, spec.verificationError]).toEqual(['failed', expect.stringContaining('_platform-verification')])
  expect((await theirs.read()).spec.status).toBe('verified')
  expect((await create('unproven', { customDomain: 'pending.example' })).status).toBe(400)
})

test('another domain has to be verified again, and its previews are not served until then', async () => {
  await proven(api, 'moved', 'moved.example')
  await create('moved', { customDomain: 'moved.example' }).expect(200)
  await world.verifyDomains()
  const before = await ask('moved.example')

  await replaceResource(api, 'customdomains', 'moved', { domain: 'victim.example' })
  await world.verifyDomains()

  expect([before.status, (await ask('moved.example')).status]).toEqual([200, 421])
  expect((await create('victim', { customDomain: 'victim.example' })).status).toBe(400)
})

test('a host of the platform is never one of a tenant, and a deleted preview has none', async () => {
  await proven(api, 'own', 'sandboxes.example')
  await create('own', { customDomain: 'named.sandboxes.example' }).expect(200)
  await proven(api, 'gone', 'gone.example')
  await create('gone', { customDomain: 'gone.example' }).expect(200)
  await world.verifyDomains()
  await api.delete(`${previews}/gone`).expect(200)

  expect((await ask('named.sandboxes.example')).status).not.toBe(200)
  expect([404, 421]).toContain((await ask('gone.example')).status)
})

test('a token is needed on a custom domain too', async () => {
  await proven(api, 'closed', 'closed.example')
  await create('closed', { customDomain: 'closed.example', public: false }).expect(200)
  await api
    .post(`${previews}/closed/tokens`)
    .send({ metadata: { name: 't' }, spec: {} })
    .expect(200)
  const { body } = await api.get(`${previews}/closed/tokens/t`)
  await world.verifyDomains()

  const without = await ask('closed.example')
  const with_ = await ask('closed.example', `/filesystem/%2Fwhose?preview_token=${body.spec.token}`)

  expect([without.status, with_.status]).toEqual([404, 200])
})
