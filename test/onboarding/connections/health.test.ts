import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { checkDueConnections } from '../../../src/onboarding/connections/flows/check-health.ts'
import { forgetOld } from '../../../src/onboarding/connections/flows/forget-old.ts'
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

const check = async (id: string) =>
  (await world.api('POST', `/connections/${id}/health-checks`, { reason: 'a customer asked' })).body

const eventsOf = async (id: string) =>
  (
    await world.sql.query(`select event, payload from outbox where payload ->> 'connectionId' = $1 order by id`, [id])
  ).rows.map(({ event }) => event)

const revokeAtProvider = async (id: string) => {
  const { REFRESH_TOKEN } = await world.secretsOf(id)
  for (const issued of world.provider.issued) if (issued.token === REFRESH_TOKEN) issued.revoked = true
}

/** Makes only these connections due. */
const letBeDue = (id: string) =>
  world.sql.query('update connections set health_due_at = case when id = $1 then now() end', [id])

test('a working connection is healthy and sends no event', async () => {
  const id = await world.link()

  expect(await check(id)).toMatchObject({ outcome: 'healthy', durationMs: expect.any(Number) })
  expect(await world.connection(id)).toMatchObject({ status: 'active', checkedAt: expect.any(String) })
  expect(await eventsOf(id)).toEqual(['link.succeeded'])
})

test('the cause of a broken connection is explained in the user’s language', async () => {
  const id = await world.link()
  const wordsIn = async (address: string) => (await world.api('GET', address)).body
  expect(await wordsIn(`/connections/${id}`)).not.toHaveProperty('causeForUser')
  await revokeAtProvider(id)
  await check(id)

  const english = {
    locale: 'en',
    title: 'Provider access has ended',
    advice: 'Reconnect to restore it.',
  }
  expect((await wordsIn(`/connections/${id}`)).causeForUser).toEqual(english)
  expect((await wordsIn(`/connections/${id}?locale=de-AT`)).causeForUser).toMatchObject({
    locale: 'de',
    title: 'Der Zugriff auf Provider ist beendet',
  })
  expect((await wordsIn(`/connections/${id}?locale=tlh`)).causeForUser).toEqual(english)
  expect((await wordsIn(`/connections/${id}/health?locale=es`)).connection.causeForUser.locale).toBe('es')
  const { data } = await wordsIn('/connections?status=needs_relink&locale=fr')
  expect(data.find((each: { id: string }) => each.id === id).causeForUser.locale).toBe('fr')
})

test('a background check reports a revoked grant once: status, event and audit entry', async () => {
  const id = await world.link()
  await revokeAtProvider(id)

  await letBeDue(id)
  await checkDueConnections(world.ports, world.settings)
  await letBeDue(id)
  await checkDueConnections(world.ports, world.settings)

  expect(await world.connection(id)).toMatchObject({
    status: 'needs_relink',
    cause: { code: 'grant_revoked', whoseMove: 'user' },
  })
  expect(await eventsOf(id)).toEqual(['link.succeeded', 'connection.needs_relink'])
  const { rows } = await world.sql.query(
    `select facts, before, after from audit where connection = $1 and action = 'connection.needs_relink'`,
    [id],
  )
  expect(rows).toMatchObject([
    { facts: { cause: 'grant_revoked' }, before: { status: 'active' }, after: { status: 'needs_relink' } },
  ])
})

test('counts checks by day, and deletes counts after 400 days', async () => {
  const counted = async () =>
    (await world.sql.query(`select integration, outcome, checks::int from health_days order by day, outcome`)).rows
  const id = await world.link()
  await world.sql.query('truncate health_days')
  await check(id)
  await check(id)
  await revokeAtProvider(id)
  await check(id)
  await world.sql.query(
    `insert into health_days select integration, day - interval '401 days', outcome, checks from health_days`,
  )

  await forgetOld(world.ports)

  expect(await counted()).toEqual([
    { integration: 'provider', outcome: 'broken', checks: 1 },
    { integration: 'provider', outcome: 'healthy', checks: 2 },
  ])
})

test('verifying a connection lists its tools and audits the reason', async () => {
  const id = await world.link()

  const { body } = await world.api('POST', `/connections/${id}/verify`, { reason: 'before the demo' })

  expect(body).toEqual({ tools: ['list_files'] })
  const { body: audit } = await world.api('GET', `/audit?connectionId=${id}&action=connection.verified`)
  expect(audit.data).toMatchObject([
    { reason: 'before the demo', actor: { kind: 'api_key' }, facts: { tools: ['list_files'] } },
  ])
})
