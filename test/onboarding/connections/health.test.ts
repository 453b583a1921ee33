import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { grantRevoked, type ToolFailure } from '../../support/doubles/control-plane.ts'
import { audited } from '../../support/worlds/ledger.ts'
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

/** As if the user had taken the permission back at the third party. */
const revokeAtProvider = async (id: string) => {
  const { REFRESH_TOKEN } = await world.secretsOf(id)
  for (const issued of world.provider.issued) if (issued.token === REFRESH_TOKEN) issued.revoked = true
}

/** Every tool fails, and says this. */
const fails = (failure: ToolFailure) => {
  world.platform.tool = () => failure
}

/** As if the turn of every connection had come, and of no other. */
const letBeDue = (id: string) =>
  world.sql.query('update connections set health_due_at = case when id = $1 then now() end', [id])

test('a connection that works is healthy, and nothing else is said about it', async () => {
  const id = await world.link()

  expect(await check(id)).toMatchObject({ outcome: 'healthy', durationMs: expect.any(Number) })
  expect(await world.connection(id)).toMatchObject({ status: 'active', checkedAt: expect.any(String) })
  expect(await eventsOf(id)).toEqual(['link.succeeded'])
})

test('what the user has to know of a broken connection comes in their language, with the names they know', async () => {
  const id = await world.link()
  const wordsIn = async (address: string) => (await world.api('GET', address)).body
  expect(await wordsIn(`/connections/${id}`)).not.toHaveProperty('causeForUser')
  await revokeAtProvider(id)
  await check(id)

  const english = {
    locale: 'en',
    title: 'Access was revoked',
    advice:
      'Provider no longer accepts the permission you gave: it was revoked or has expired. Start again to restore the connection.',
  }
  expect((await wordsIn(`/connections/${id}`)).causeForUser).toEqual(english)
  expect((await wordsIn(`/connections/${id}?locale=de-AT`)).causeForUser).toMatchObject({
    locale: 'de',
    title: 'Der Zugriff wurde widerrufen',
  })
  expect((await wordsIn(`/connections/${id}?locale=tlh`)).causeForUser).toEqual(english)
  expect((await wordsIn(`/connections/${id}/health?locale=es`)).connection.causeForUser.locale).toBe('es')
  const { data } = await wordsIn('/connections?status=needs_relink&locale=fr')
  expect(data.find((each: { id: string }) => each.id === id).causeForUser.locale).toBe('fr')
})

test('when the user took the permission back, the next check in the background says so once, everywhere', async () => {
  const id = await world.link()
  await revokeAtProvider(id)

  await letBeDue(id)
  await world.flows.checkDueConnections()
  await letBeDue(id)
  await world.flows.checkDueConnections()

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

test('a code is enough to find a grant dead, in whatever words it is told', async () => {
  const id = await world.link()
  const { tool } = world.platform
  fails({ code: 'grant_revoked', text: 'Bitte verbinden Sie das Konto neu.' })

  const found = await check(id)
  world.platform.tool = tool

  expect(found).toMatchObject({ outcome: 'broken', cause: { code: 'grant_revoked', whoseMove: 'user' } })
})

test('a client secret that was changed at the provider has a cause of its own', async () => {
  const id = await world.link()
  const { tool } = world.platform
  world.platform.tool = () => ({ code: 'client_rejected', text: 'Provider is not available.' })

  const found = await check(id)
  world.platform.tool = tool

  expect(found).toMatchObject({ outcome: 'broken', cause: { code: 'client_rejected', whoseMove: 'operator' } })
})

test.each([
  { what: 'the platform is down', arrange: () => (world.platform.fault = () => 503), cause: 'platform_unavailable' },
  {
    what: 'the third party is down',
    arrange: () => fails({ code: 'third_party_unavailable', text: 'Provider did not answer. Try again later.' }),
    cause: 'provider_unavailable',
  },
  {
    what: 'the tool is described at an address that no call may reach',
    arrange: () => fails({ code: 'profile_mismatch', text: 'Nothing was sent.' }),
    cause: 'profile_mismatch',
  },
  {
    what: 'the profile gives the tool arguments that it does not take',
    arrange: () => fails({ code: 'arguments_invalid', text: 'The arguments are not valid.' }),
    cause: 'profile_mismatch',
  },
  {
    what: 'the operator does not offer the tool',
    arrange: () => fails({ code: 'tool_not_offered', text: 'Not offered.' }),
    cause: 'profile_mismatch',
  },
  {
    what: 'the platform does not call the address',
    arrange: () => fails({ code: 'address_blocked', text: 'It was not asked.' }),
    cause: 'address_blocked',
  },
  {
    what: 'the limit of the tool is used up',
    arrange: () => fails({ code: 'rate_limited', text: 'The limit for this tool is used up.' }),
    cause: 'check_held_back',
  },
  {
    what: 'the tool has changed and waits for approval',
    arrange: () => fails({ code: 'tool_held', text: 'This tool has changed.' }),
    cause: 'check_held_back',
  },
  {
    what: 'a platform without codes says "needs re-linking"',
    arrange: () => fails({ text: grantRevoked.text }),
    cause: 'provider_unavailable',
  },
  {
    what: 'a platform sends a code that we do not know',
    arrange: () => fails({ code: 'invalid_grant', text: 'invalid_grant' }),
    cause: 'provider_unavailable',
  },
])('when $what, nothing is learnt and the connection stays as it is', async ({ arrange, cause }) => {
  const id = await world.link()
  const { tool } = world.platform
  arrange()

  const found = await check(id)
  world.platform.tool = tool

  expect(found).toMatchObject({ outcome: 'unclear', cause: { code: cause } })
  expect(await world.connection(id)).toMatchObject({ status: 'active' })
})

test('a connection that works again is active again', async () => {
  const id = await world.link()
  await world.sql.query(`update connections set status = 'needs_relink', cause = 'grant_revoked' where id = $1`, [id])

  await check(id)

  expect(await world.connection(id)).toMatchObject({ status: 'active' })
  expect((await world.connection(id)).cause).toBeUndefined()
})

test('what was found out about a grant that was replaced meanwhile is not applied to the new one', async () => {
  const id = await world.link()
  const old = await world.world.connections.find(id)
  await world.relink(id)

  await world.world.healthChecks.record({
    connection: old!,
    finding: { outcome: 'broken', cause: 'grant_revoked' },
    durationMs: 1,
    nextInSeconds: 60,
    actorKind: 'worker',
    news: audited('connection.needs_relink'),
    asked: undefined,
    event: { id: 'evt_late', name: 'connection.needs_relink', payload: {} },
  })

  expect(await world.connection(id)).toMatchObject({ status: 'active' })
})

test('two processes never try the same connection at the same time', async () => {
  const id = await world.link()
  await letBeDue(id)

  const claimed = await Promise.all([
    world.world.healthChecks.claimDue(10),
    world.world.healthChecks.claimDue(10),
    world.world.healthChecks.claimDue(10),
  ])

  expect(claimed.flat().map((connection) => connection.id)).toEqual([id])
})

test('the history is kept, newest first, and does not grow for ever', async () => {
  const id = await world.link()
  await check(id)
  await world.sql.query(
    `insert into health_checks (connection_id, outcome, duration_ms, actor_kind)
     select $1, 'healthy', 1, 'worker' from generate_series(1, 80)`,
    [id],
  )
  await revokeAtProvider(id)
  await check(id)

  const { body } = await world.api('GET', `/connections/${id}/health`)
  const { rows } = await world.sql.query('select count(*)::int as count from health_checks where connection_id = $1', [
    id,
  ])
  expect(body.connection).toMatchObject({ id, status: 'needs_relink' })
  expect(body.checks[0]).toMatchObject({ outcome: 'broken' })
  expect(body.checks).toHaveLength(50)
  expect(rows[0].count).toBe(50)
})

test('checks are counted by day, and counts older than 400 days are forgotten', async () => {
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

  await world.flows.forgetOld()

  expect(await counted()).toEqual([
    { integration: 'provider', outcome: 'broken', checks: 1 },
    { integration: 'provider', outcome: 'healthy', checks: 2 },
  ])
})

test.each([
  { whose: 'its profile', integration: { health: { tool: 'list_files', everySeconds: 60 } }, seconds: 60 },
  { whose: 'the program', integration: {}, seconds: 900 },
])('a connection is checked at the pace of $whose, from its link on, and never all in step', async (pace) => {
  const other = await startRelinking({ integration: pace.integration, env: { HEALTH_CHECK_SECONDS: '900' } })
  const id = await other.link()
  const dueAfter = async (column: string) =>
    (
      await other.sql.query(
        `select extract(epoch from health_due_at - ${column})::float8 as seconds from connections where id = $1`,
        [id],
      )
    ).rows[0].seconds

  const afterLink = await dueAfter('created_at')
  await other.api('POST', `/connections/${id}/health-checks`, { reason: 'a customer asked' })
  const afterAsking = await dueAfter('checked_at')
  await other.sql.query('update connections set health_due_at = now()')
  await other.flows.checkDueConnections()
  const afterCheck = await dueAfter('checked_at')
  await other.relink(id)
  const afterRelink = await dueAfter('relinked_at')
  await other.close()

  for (const seconds of [afterLink, afterAsking, afterCheck, afterRelink]) {
    expect(Math.abs(seconds / pace.seconds - 1)).toBeLessThanOrEqual(0.1)
  }
  expect(afterCheck).not.toBe(afterAsking)
})

test('verifying a connection lists its tools, and stands in the audit with its reason', async () => {
  const id = await world.link()

  const { body } = await world.api('POST', `/connections/${id}/verify`, { reason: 'before the demo' })

  expect(body).toEqual({ tools: ['list_files'] })
  const { body: audit } = await world.api('GET', `/audit?connectionId=${id}&action=connection.verified`)
  expect(audit.data).toMatchObject([
    { reason: 'before the demo', actor: { kind: 'api_key' }, facts: { tools: ['list_files'] } },
  ])
})

test('a function that does not answer is told as such, and stands in the audit with what it ran into', async () => {
  const id = await world.link()
  world.platform.fault = () => 503

  const answer = await world.api('POST', `/connections/${id}/verify`, { reason: 'a customer asked' })

  expect(answer).toMatchObject({ status: 502, body: { code: 'platform_unavailable' } })
  const { body: audit } = await world.api('GET', `/audit?connectionId=${id}&action=connection.verify_failed`)
  expect(audit.data).toMatchObject([
    {
      reason: 'a customer asked',
      actor: { kind: 'api_key' },
      facts: { cause: 'platform_unavailable' },
      before: { status: 'active' },
      after: { status: 'active' },
    },
  ])
})

test('who checks and verifies one connection again and again is asked to wait, and another is not delayed', async () => {
  const [id, other] = [await world.link(), await world.link()]
  const look = (connection: string, what: string) =>
    world.api('POST', `/connections/${connection}/${what}`, { reason: 'a customer asked' })

  const statuses: number[] = []
  for (let turn = 0; turn < 6; turn++) {
    statuses.push((await look(id, 'health-checks')).status, (await look(id, 'verify')).status)
  }

  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 5 }, () => [201, 200]).flat())
  expect(statuses.slice(10)).toEqual([429, 429])
  expect((await look(other, 'health-checks')).status).toBe(201)
})
