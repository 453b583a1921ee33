// Revisions of agents and models: kept, divided by percentage, sticky by session, promoted and rolled back.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startUpstream, type UpstreamDouble } from '../../support/doubles/upstream.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import {
  createResource,
  type PlatformWorld,
  platformWorld,
  replaceResource,
} from '../../support/worlds/platform-world.ts'

let world: PlatformWorld
let upstream: UpstreamDouble
let api: ReturnType<PlatformWorld['as']>
const images = ['one', 'two', 'three']

beforeAll(async () => {
  upstream = await startUpstream()
  const file = join(temporaryFolder(), 'runtimes.json')
  const runtimes = images.map((name) => ({ image: `acme/${name}`, url: `${upstream.url}/${name}` }))
  writeFileSync(file, JSON.stringify({ runtimes }))
  world = await platformWorld({ env: { RUNTIMES_FILE: file } })
  api = world.as(world.admin)
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})

const envs = [{ name: 'KEY', value: 'CANARY-env', secret: true }]
const specOf = (image: string, revision?: object) => ({ runtime: { image: `acme/${image}`, envs }, revision })

const settled = (path: string) =>
  waitFor(`${path} is settled`, async () => {
    const { body } = await api.get(`/v0/${path}`)
    return body.status !== 'DEPLOYING' && body
  })

const revisionsOf = async (path: string) => (await api.get(`/v0/${path}/revisions`).expect(200)).body

/** Deploys the images in turn. Returns the revisions, oldest first. */
async function deployed(path: string, ...names: string[]) {
  const [kind = '', name = ''] = path.split('/')
  await createResource(api, kind, name, specOf(names[0] ?? ''))
  await settled(path)
  for (const image of names.slice(1)) await update(path, specOf(image))
  return ((await revisionsOf(path)) as Array<{ id: string }>).map(({ id }) => id).reverse()
}

async function update(path: string, spec: object) {
  const [kind = '', name = ''] = path.split('/')
  await replaceResource(api, kind, name, spec)
  return settled(path)
}

const ask = (path: string, headers: Record<string, string> = {}) =>
  request(world.app)
    .post(`/acme/${path}`)
    .set({ 'X-Service-Authorization': `Bearer ${world.admin.key}`, ...headers })
    .send({ inputs: 'hello', messages: [] })

/** The images that got the requests. */
async function answering(path: string, count = 1, headers: Record<string, string> = {}) {
  upstream.state.requests.length = 0
  for (let at = 0; at < count; at++) await ask(path, headers).expect(200)
  return upstream.state.requests.map(({ url }) => url.split('/')[1])
}

test('every other runtime is a revision, and the same one is not', async () => {
  await deployed('agents/kept', 'one', 'two')
  await update('agents/kept', specOf('two'))
  await update('agents/kept', { ...specOf('two'), policies: [] })

  const all = await revisionsOf('agents/kept')

  expect(all).toMatchObject([
    { active: true, canary: false, previousActive: false, status: 'DEPLOYED', trafficPercent: 100 },
    { active: false, canary: false, previousActive: true, status: 'DEPLOYED', trafficPercent: 0 },
  ])
  expect(JSON.stringify(all)).not.toContain('CANARY-env')
})

test('a secret with another value is another revision', async () => {
  await deployed('agents/secret', 'one')
  const changed = [{ name: 'KEY', value: 'CANARY-changed', secret: true }]
  await update('agents/secret', { runtime: { image: 'acme/one', envs: changed } })

  expect(await revisionsOf('agents/secret')).toHaveLength(2)
})

test.each(['agents', 'models'])('%s are rolled back and promoted by an update', async (kind) => {
  const path = `${kind}/moved`
  const [first, second] = await deployed(path, 'one', 'two')

  const newest = await answering(path)
  await update(path, specOf('two', { active: first }))
  const rolledBack = await answering(path)
  await update(path, specOf('three', { active: first }))
  const unpromoted = await answering(path)
  const { events } = await update(path, specOf('three', { active: second }))

  expect([newest, rolledBack, unpromoted, await answering(path)]).toEqual([['two'], ['one'], ['one'], ['two']])
  expect(events.at(-1)).toMatchObject({ status: 'DEPLOYED', revision: expect.stringMatching(/^[0-9a-f-]{36}$/) })
})

test.each(['agents', 'models'])('requests of %s are divided by the percentage', async (kind) => {
  const path = `${kind}/divided`
  const [first] = await deployed(path, 'one', 'two')
  await update(path, specOf('two', { canary: first, canaryPercent: 50 }))

  const answered = await answering(path, 40)

  expect(new Set(answered)).toEqual(new Set(['one', 'two']))
})

test('`traffic` gives a part of the requests to a new revision', async () => {
  await deployed('agents/begun', 'one')

  const { events } = await update('agents/begun', specOf('two', { traffic: 50 }))
  const answered = await answering('agents/begun', 40)

  expect(new Set(answered)).toEqual(new Set(['one', 'two']))
  expect(events.at(-1).canaryRevision).toBe(events.at(-1).revision)
})

test('a session stays with its revision', async () => {
  const [first] = await deployed('agents/sticky', 'one', 'two')
  await update('agents/sticky', specOf('two', { canary: first, canaryPercent: 50, stickySessionTtl: 60 }))

  const answer = await ask('agents/sticky').expect(200)
  const [cookie = ''] = answer.headers['set-cookie'] as unknown as string[]
  const again = await ask('agents/sticky', { cookie }).expect(200)
  const answered = await answering('agents/sticky', 20, { cookie })

  expect(cookie).toMatch(
    /^workload_revision=[0-9a-f-]{36}; Path=\/acme\/agents\/sticky; Max-Age=60; HttpOnly; SameSite=Lax$/,
  )
  expect(new Set(answered).size).toBe(1)
  expect(again.headers['set-cookie']).toBeUndefined()
  expect(upstream.state.requests.some(({ headers }) => 'cookie' in headers)).toBe(false)
})

test('the cookie of a revision without requests is replaced, as is one of another agent', async () => {
  const [first, second, third] = await deployed('agents/left', 'one', 'two', 'three')
  const [foreign] = await deployed('agents/foreign', 'one')
  await update('agents/left', specOf('three', { canary: second, canaryPercent: 50, stickySessionTtl: 60 }))

  for (const wrong of [first, foreign, '../..', '']) {
    const { headers } = await ask('agents/left', { cookie: `workload_revision=${wrong}` }).expect(200)
    const named = /workload_revision=([^;]+)/.exec(String(headers['set-cookie']))?.[1]
    expect([second, third]).toContain(named)
  }
})

test('without a canary there is no cookie', async () => {
  await deployed('agents/plain', 'one')
  await update('agents/plain', specOf('one', { stickySessionTtl: 60 }))

  expect((await ask('agents/plain')).headers['set-cookie']).toBeUndefined()
})

test.each([
  ['active', 'a name that no revision has', { active: 'none' }],
  ['canary', 'a revision of another agent', undefined],
])('spec.revision.%s is rejected with %s', async (member, _what, revision) => {
  const [foreign] = await deployed(`agents/of-${member}`, 'one')
  await deployed(`agents/for-${member}`, 'one')
  const spec = specOf('two', revision ?? { canary: foreign, canaryPercent: 10 })

  const name = `for-${member}`
  const updated = await api.put(`/v0/agents/${name}`).send({ metadata: { name }, spec })
  const created = await api.post('/v0/agents').send({ metadata: { name: `new-${member}` }, spec })

  expect([updated.status, created.status]).toEqual([400, 400])
  expect(updated.body.message).toContain(`spec.revision.${member}`)
  expect(await answering(`agents/${name}`)).toEqual(['one'])
})

test('a burst of updates keeps ten revisions, and those that are named', async () => {
  const [first] = await deployed('agents/busy', 'one', 'two')
  const send = (at: number) => {
    const spec = { runtime: { image: 'acme/two', memory: 100 + at }, revision: { active: first } }
    return replaceResource(api, 'agents', 'busy', spec)
  }
  for (let at = 0; at < 11; at++) {
    await send(at)
    await settled('agents/busy')
  }
  for (let at = 100; at < 140; at += 20) await Promise.all(Array.from({ length: 20 }, (_, more) => send(at + more)))
  await settled('agents/busy')

  const all = (await revisionsOf('agents/busy')) as Array<{ id: string; active: boolean }>

  expect(all.length).toBeLessThan(14)
  expect(all.find(({ active }) => active)?.id).toBe(first)
  expect(await answering('agents/busy')).toEqual(['one'])
})
