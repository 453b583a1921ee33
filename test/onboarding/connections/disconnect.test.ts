import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking()
})
afterEach(() => {
  world.provider.calm()
  world.platform.fault = undefined
})
afterAll(() => world.close())

const disconnect = async (id: string) =>
  (await world.api('POST', `/connections/${id}/disconnect`, { reason: 'the customer left' })).body

const onPlatform = (id: string) =>
  [...world.platform.connections.values(), ...world.platform.functions.values()].filter(({ metadata }) =>
    Object.values(metadata.labels ?? {}).includes(id),
  ).length

const eventsOf = async (id: string) =>
  (await world.sql.query(`select event from outbox where payload ->> 'connectionId' = $1 order by id`, [id])).rows.map(
    ({ event }) => event,
  )

test('a disconnected connection is gone at the provider and on the platform, and on record', async () => {
  const id = await world.link()
  const { REFRESH_TOKEN } = await world.secretsOf(id)

  const task = await disconnect(id)

  expect(task).toMatchObject({ kind: 'disconnect', status: 'done', revocation: 'revoked' })
  expect(world.provider.seen.revocations).toEqual([REFRESH_TOKEN])
  expect(onPlatform(id)).toBe(0)
  expect(await world.storedGrantsOf(id)).toEqual([])
  expect(await world.connection(id)).toMatchObject({ status: 'disconnected', disconnectedAt: expect.any(String) })
  expect(await eventsOf(id)).toEqual(['link.succeeded', 'connection.disconnected'])
  const { body } = await world.api('GET', `/audit?connectionId=${id}&action=connection.disconnected`)
  expect(body.data).toMatchObject([
    {
      reason: 'the customer left',
      actor: { kind: 'api_key' },
      facts: { revocation: 'revoked' },
      before: { status: 'active' },
      after: { status: 'disconnected' },
    },
  ])
})

test('the platform is asked to remove the function before the connection that it uses', async () => {
  const id = await world.link()
  world.platform.seen.length = 0

  await disconnect(id)

  const deleted = world.platform.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/')[2])
  expect(deleted).toEqual(['functions', 'integrations'])
})

test('while the platform is away it waits, and is carried on by any process when it is back', async () => {
  const id = await world.link()
  world.platform.fault = () => 503

  const waiting = await disconnect(id)
  world.platform.fault = undefined
  await world.sql.query('update connection_tasks set due_at = now() where connection_id = $1', [id])
  await world.flows.resumeTasks()

  expect(waiting).toMatchObject({
    status: 'pending',
    step: 'remove_function',
    cause: { code: 'platform_unavailable' },
  })
  expect(await world.connection(id)).toMatchObject({ status: 'disconnected' })
  expect(onPlatform(id)).toBe(0)
})

test('whoever was told that it is pending can read how it gets on', async () => {
  const id = await world.link()
  world.platform.fault = () => 503
  const { id: task } = await disconnect(id)
  const read = () => world.api('GET', `/connections/${id}/tasks/${task}`)

  const waiting = await read()
  world.platform.fault = undefined
  await world.sql.query('update connection_tasks set due_at = now() where connection_id = $1', [id])
  await world.flows.resumeTasks()
  const done = await read()

  expect(waiting.body).toMatchObject({
    ...{ id: task, connectionId: id, kind: 'disconnect', status: 'pending', step: 'remove_function', attempts: 1 },
    cause: { code: 'platform_unavailable' },
  })
  expect(done.body).toMatchObject({ status: 'done', revocation: 'revoked', attempts: 0 })
  expect(done.body).not.toHaveProperty('cause')
  expect(Date.parse(done.body.updatedAt)).toBeGreaterThan(Date.parse(done.body.createdAt))
})

test('another tenant’s task, and one of another connection, read exactly like a missing one', async () => {
  const [id, other] = [await world.link(), await world.link()]
  const { id: task } = await disconnect(id)
  await world.api('PUT', '/tenants/globex', { workspace: 'g', displayName: 'G', returnUrls: ['https://g.example/'] })
  const operator = { kind: 'operator' } as const
  const { key } = await world.world.apiKeys.create({ name: 'globex', tenant: 'globex' }, operator)
  const asGlobex = world.apiAs(key.reveal())
  const asks = [
    [asGlobex, `/connections/${id}/tasks/${task}`, '/connections/con_none/tasks/tsk_none'],
    [world.api, `/connections/${other}/tasks/${task}`, `/connections/${other}/tasks/tsk_none`],
  ] as const

  for (const [ask, theirs, missing] of asks) {
    const [foreign, absent] = [await ask('GET', theirs), await ask('GET', missing)]
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' })
  }
})

test('a connection is disconnected once, whoever presses the button at the same moment', async () => {
  const id = await world.link()

  const answers = await Promise.all(
    [1, 2, 3].map(() => world.api('POST', `/connections/${id}/disconnect`, { reason: 'any' })),
  )

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await eventsOf(id)).toEqual(['link.succeeded', 'connection.disconnected'])
})

test('a link to mend a connection ends with it', async () => {
  const id = await world.link()
  const session = await world.mintRelink(id)
  await disconnect(id)

  const page = await new HttpBrowser().get(session.url)
  const mint = await world.api('POST', `/connections/${id}/relink-sessions`, { reason: 'any' })

  expect(page.status).toBe(410)
  expect((await world.api('GET', `/connect-sessions/${session.id}`)).body).toMatchObject({ status: 'cancelled' })
  expect(mint).toMatchObject({ status: 409, body: { code: 'connection_disconnected' } })
})

test('a re-link that comes back after the connection was disconnected gives its grant back and makes nothing', async () => {
  const id = await world.link()
  const session = await world.mintRelink(id)
  const browser = new HttpBrowser()
  const { url } = await browser.follow(await browser.post(session.url), `${world.url}/oauth/callback`)
  await disconnect(id)

  await browser.follow(await browser.get(url))

  expect(await world.linkBy(session.id)).toMatchObject({ status: 'failed', cause: { code: 'connection_gone' } })
  expect(world.provider.issued.at(-1)?.revoked).toBe(true)
  expect(onPlatform(id)).toBe(0)
})

test('what somebody else put under our name is left alone', async () => {
  const id = await world.link()
  const { name } = await world.connection(id)
  const theirs = { metadata: { name, labels: {} }, spec: { theirs: true } }
  world.platform.connections.set(`acme/${name}`, theirs)

  const task = await disconnect(id)

  expect(task).toMatchObject({ status: 'pending', cause: { code: 'name_taken' } })
  expect(world.platform.connections.get(`acme/${name}`)).toBe(theirs)
})
