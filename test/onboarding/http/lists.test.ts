import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

const idsOf = ({ body }: { body: { data: Array<{ id: string }> } }) => body.data.map(({ id }) => id)

test('connections are filtered by cause, and an unknown cause is rejected', async () => {
  const [revoked, rejected, fine] = [await world.link(), await world.link(), await world.link()]
  const breakIt = (id: string, cause: string) =>
    world.sql.query(`update connections set status = 'needs_relink', cause = $2 where id = $1`, [id, cause])
  await breakIt(revoked, 'grant_revoked')
  await breakIt(rejected, 'client_rejected')

  const list = (query: string) => world.api('GET', `/connections?${query}`)

  expect(idsOf(await list('causeCode=grant_revoked'))).toEqual([revoked])
  expect(idsOf(await list('causeCode=client_rejected&status=needs_relink&tenantId=acme'))).toEqual([rejected])
  expect(idsOf(await list('causeCode=client_rejected&status=active'))).toEqual([])
  expect(idsOf(await list('status=active'))).toEqual([fine])
  expect(await list('causeCode=bad_luck')).toMatchObject({ status: 422, body: { errors: [{ pointer: '/causeCode' }] } })
})

test('links are filtered by cause and paginated', async () => {
  const denied: string[] = []
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
  for (let index = 0; index < 3; index++) denied.push((await world.consent(await world.mint())).query.link_id ?? '')
  world.provider.calm()

  const first = await world.api('GET', '/links?causeCode=consent_denied&limit=2')
  const rest = await world.api('GET', `/links?causeCode=consent_denied&limit=2&cursor=${first.body.nextCursor}`)

  expect([...idsOf(first), ...idsOf(rest)]).toEqual(denied.sort().reverse())
  expect(rest.body).not.toHaveProperty('nextCursor')
  expect(idsOf(await world.api('GET', '/links?causeCode=consent_denied&status=failed'))).toEqual([])
})

test('lists by cause use an index', async () => {
  await world.sql.query(`
    with sessions as (
      insert into connect_sessions (id, token_digest, tenant, integration, end_user, return_url, expires_at)
      select 'ses_x' || n, 'x' || n, 'acme', 'provider', '{"id":"u"}', 'https://x.example', now()
      from generate_series(1, 20000) as n returning id)
    insert into links (id, session_id, tenant, workspace, integration, end_user, return_url, browser, state,
      connection_id, connection_name, function_name)
    select replace(id, 'ses', 'lnk'), id, 'acme', 'acme', 'provider', '{"id":"u"}', 'https://x.example', 'b', 'linked',
      'con_x', 'x', 'x' from sessions`)
  await world.sql.query(`
    insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
      end_user_id)
    select 'con_x' || n, 'acme', 'acme', 'provider', 'x-' || n, 'x', 'https://x.example', '{}', 'active', 'u'
    from generate_series(1, 20000) as n`)
  await world.sql.query('analyze links, connections')

  for (const table of ['links', 'connections']) {
    for (const who of ['', `and tenant = 'acme'`]) {
      const { rows } = await world.sql.query(
        `explain select * from ${table} where cause = 'consent_failed' ${who} order by id desc limit 51`,
      )
      expect(JSON.stringify(rows)).toMatch(new RegExp(`${table}_by_(tenant_and_)?cause`))
    }
  }
})

test('a tenant’s OAuth clients are listed without their secrets', async () => {
  const clients = '/tenants/acme/oauth-clients'
  await world.api('PUT', `${clients}/provider`, { clientId: 'confidential', clientSecret: 'CANARY-CLIENT-SECRET' })
  await world.api('PUT', `${clients}/gmail`, { clientId: 'public' })
  const operator = { kind: 'operator' } as const
  const { key } = await world.world.apiKeys.create({ name: 'acme', tenant: 'acme' }, operator)

  const listed = await world.api('GET', clients)
  const own = await world.apiAs(key.reveal())('GET', clients)

  const times = { createdAt: expect.any(String), updatedAt: expect.any(String) }
  expect(listed.body.data).toEqual([
    { integrationId: 'gmail', clientId: 'public', method: 'none', ...times },
    { integrationId: 'provider', clientId: 'confidential', method: 'client_secret_post', ...times },
  ])
  expect(own.body).toEqual(listed.body)
  expect(JSON.stringify(listed.body)).not.toContain('CANARY')
})
