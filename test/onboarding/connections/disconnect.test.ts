import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { resumeTasks } from '../../../src/onboarding/connections/flows/work-on-task.ts'
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

test('a disconnect revokes the grant, deletes the platform resources and is audited', async () => {
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

test('a pending task can be polled until it is done', async () => {
  const id = await world.link()
  world.platform.fault = () => 503
  const { id: task } = await disconnect(id)
  const read = () => world.api('GET', `/connections/${id}/tasks/${task}`)

  const waiting = await read()
  world.platform.fault = undefined
  await world.sql.query('update connection_tasks set due_at = now() where connection_id = $1', [id])
  await resumeTasks(world.ports, world.settings)
  const done = await read()

  expect(waiting.body).toMatchObject({
    ...{ id: task, connectionId: id, kind: 'disconnect', status: 'pending', step: 'remove_function', attempts: 1 },
    cause: { code: 'platform_unavailable' },
  })
  expect(done.body).toMatchObject({ status: 'done', revocation: 'revoked', attempts: 0 })
  expect(done.body).not.toHaveProperty('cause')
  expect(Date.parse(done.body.updatedAt)).toBeGreaterThan(Date.parse(done.body.createdAt))
})

test('a disconnect cancels the open re-link session', async () => {
  const id = await world.link()
  const session = await world.mintRelink(id)
  await disconnect(id)

  const page = await new HttpBrowser().get(session.url)
  const mint = await world.api('POST', `/connections/${id}/relink-sessions`, { reason: 'any' })

  expect(page.status).toBe(410)
  expect((await world.api('GET', `/connect-sessions/${session.id}`)).body).toMatchObject({ status: 'cancelled' })
  expect(mint).toMatchObject({ status: 409, body: { code: 'connection_disconnected' } })
})

test('a re-link that returns after a disconnect revokes its grant and creates nothing', async () => {
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
