import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

const breakIt = (id: string, cause: string) =>
  world.sql.query(`update connections set status = 'needs_relink', cause = $2 where id = $1`, [id, cause])

const start = (body: Record<string, unknown>) =>
  world.api('POST', '/campaigns', { reason: 'the client secret was rotated', ...body })

test('everybody whose connection broke for one cause gets an address, and completion is counted', async () => {
  const [first, second, other] = [await world.link(), await world.link(), await world.link()]
  await breakIt(first, 'client_rejected')
  await breakIt(second, 'client_rejected')
  await breakIt(other, 'grant_revoked')

  const { status, body } = await start({ causeCode: 'client_rejected' })
  const member = body.members.find(({ connectionId }: { connectionId: string }) => connectionId === first)
  const browser = new HttpBrowser()
  await browser.follow(await browser.post(member.url))
  const progress = await world.api('GET', `/campaigns/${body.id}`)
  const members = await world.api('GET', `/campaigns/${body.id}/members`)

  expect(status).toBe(201)
  expect(body.members.map(({ connectionId }: { connectionId: string }) => connectionId).sort()).toEqual(
    [first, second].sort(),
  )
  expect(progress.body.counts).toEqual({ open: 1, started: 0, linked: 1, failed: 0, expired: 0, cancelled: 0 })
  expect(members.body.data).toHaveLength(2)
  expect(JSON.stringify(members.body)).not.toContain('/connect/')
  expect(await world.connection(first)).toMatchObject({ status: 'active' })
  expect((await world.api('GET', '/campaigns')).body.data[0]).toMatchObject({
    id: body.id,
    cause: { code: 'client_rejected' },
  })
})

test('the addresses come as a table for who asks for one', async () => {
  const id = await world.link({ endUser: { id: '=cmd|calc', email: 'user@acme.example' } })
  await breakIt(id, 'scope_missing')

  const asked = { causeCode: 'scope_missing', reason: 'any' }
  const answer = await world.api('POST', '/campaigns', asked, { Accept: 'text/csv' })

  const [head, row] = answer.body.split('\r\n')
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(head).toBe('connectionId,connectionName,tenantId,integrationId,endUserId,accountLabel,url,expiresAt')
  const address = `${world.url}/connect/[\\w-]{43}`
  expect(row).toMatch(
    new RegExp(`^${id},provider-\\w+,acme,provider,'=cmd\\|calc,first@provider.example,${address},[\\d-]+T[\\d:.]+Z$`),
  )
})

test('another campaign is for the rest: who has an address that still works gets no second one', async () => {
  const [first, second] = [await world.link(), await world.link()]
  await breakIt(first, 'answer_malformed')
  const { body: campaign } = await start({ causeCode: 'answer_malformed' })
  await breakIt(second, 'answer_malformed')

  const rest = await start({ causeCode: 'answer_malformed' })
  const nobody = await start({ causeCode: 'answer_malformed' })
  await world.api('POST', `/connect-sessions/${campaign.members[0].connectSessionId}/cancel`)
  const again = await start({ causeCode: 'answer_malformed' })

  const connectionsIn = ({ body }: typeof rest) =>
    body.members.map((each: { connectionId: string }) => each.connectionId)
  expect(connectionsIn(rest)).toEqual([second])
  expect(nobody).toMatchObject({ status: 409, body: { code: 'campaign_empty' } })
  expect(connectionsIn(again)).toEqual([first])
})

test('an address that is pinned to no account lives a day at most', async () => {
  const trusting = await startRelinking({ env: { CONNECT_COMPLETION: 'optional' } })
  const [pinned, open] = [await trusting.link(), await trusting.link()]
  await trusting.sql.query(`update connections set status = 'needs_relink', cause = 'grant_unusable'`)
  await trusting.sql.query('update connections set account_id = null, account_label = null where id = $1', [open])

  const { body } = await trusting.api('POST', '/campaigns', { reason: 'broken', causeCode: 'grant_unusable' })

  const { rows } = await trusting.sql.query(
    'select connection_id, expires_at - created_at as lasts from connect_sessions where connection_id = any($1)',
    [[pinned, open]],
  )
  expect(rows).toContainEqual({ connection_id: pinned, lasts: expect.objectContaining({ days: 7 }) })
  expect(rows).toContainEqual({ connection_id: open, lasts: expect.objectContaining({ days: 1 }) })
  const told = Object.fromEntries(
    body.members.map((each: { connectionId: string; expiresAt: string }) => [
      each.connectionId,
      Math.round((Date.parse(each.expiresAt) - Date.parse(body.createdAt)) / 86_400_000),
    ]),
  )
  expect(told).toEqual({ [pinned]: 7, [open]: 1 })
  await trusting.close()
})

test('what became of each member is told apart', async () => {
  const ids = [await world.link(), await world.link(), await world.link()]
  for (const id of ids) await breakIt(id, 'no_refresh_token')
  const { body } = await start({ causeCode: 'no_refresh_token' })
  const [expired, cancelled, denied] = body.members
  await world.sql.query('update connect_sessions set expires_at = now() where id = $1', [expired.connectSessionId])
  await world.api('POST', `/connect-sessions/${cancelled.connectSessionId}/cancel`)
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
  const browser = new HttpBrowser()
  await browser.follow(await browser.post(denied.url))
  world.provider.calm()

  const { body: progress } = await world.api('GET', `/campaigns/${body.id}`)

  expect(progress.counts).toEqual({ open: 0, started: 0, linked: 0, failed: 1, expired: 1, cancelled: 1 })
})

test('a cause that nobody has makes no campaign, and one that does not exist is refused', async () => {
  expect(await start({ causeCode: 'name_taken' })).toMatchObject({ status: 409, body: { code: 'campaign_empty' } })
  expect(await start({ causeCode: 'bad_luck' })).toMatchObject({ status: 422, body: { code: 'input_invalid' } })
})

test('a tenant’s key reaches its own connections and campaigns alone', async () => {
  await world.api('PUT', '/tenants/globex', {
    workspace: 'globex',
    displayName: 'Globex',
    returnUrls: ['https://globex.example/'],
  })
  const operator = { kind: 'operator' } as const
  const { key } = await world.world.apiKeys.create({ name: 'globex', tenant: 'globex' }, operator)
  const asGlobex = world.apiAs(key.reveal())
  const id = await world.link()
  await breakIt(id, 'account_mismatch')
  const { body: ours } = await start({ causeCode: 'account_mismatch', tenantId: 'acme' })

  const theirs = await asGlobex('POST', '/campaigns', { causeCode: 'account_mismatch', reason: 'any' })
  const named = await asGlobex('POST', '/campaigns', { causeCode: 'account_mismatch', tenantId: 'acme', reason: 'any' })
  const read = await asGlobex('GET', `/campaigns/${ours.id}`)
  const missing = await asGlobex('GET', '/campaigns/cmp_none')
  const cancelled = await asGlobex('POST', `/campaigns/${ours.id}/cancel`, { reason: 'any' })

  expect(theirs).toMatchObject({ status: 409, body: { code: 'campaign_empty' } })
  expect(named.status).toBe(404)
  expect({ ...read.body, instance: '' }).toEqual({ ...missing.body, instance: '' })
  expect(cancelled.status).toBe(404)
  expect((await world.api('GET', `/campaigns/${ours.id}`)).body.counts.open).toBe(1)
  expect((await asGlobex('GET', '/campaigns')).body.data).toEqual([])
})
