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

test('a campaign creates a link for each connection with the cause, and counts completions', async () => {
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

test('returns the links as CSV on request', async () => {
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

test('a tenant’s key reaches only its own connections and campaigns', async () => {
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

test('after a campaign is cancelled, its connections can join another one immediately', async () => {
  const [used, lost] = [await world.link(), await world.link()]
  for (const id of [used, lost]) await breakIt(id, 'code_refused')
  const { body: campaign } = await start({ causeCode: 'code_refused' })
  const memberOf = (id: string) => campaign.members.find((each: { connectionId: string }) => each.connectionId === id)
  const browser = new HttpBrowser()
  await browser.follow(await browser.post(memberOf(used).url))
  const cancel = () => world.api('POST', `/campaigns/${campaign.id}/cancel`, { reason: 'the file is lost' })

  const cancelled = await cancel()
  const again = await cancel()
  const opened = await fetch(memberOf(lost).url)
  const another = await start({ causeCode: 'code_refused' })

  expect(cancelled).toMatchObject({ status: 200, body: { counts: { open: 0, linked: 1, cancelled: 1 } } })
  expect(again.body).toEqual(cancelled.body)
  expect(opened.status).toBe(410)
  expect(another.body.members.map((each: { connectionId: string }) => each.connectionId)).toEqual([lost])
  const { rows } = await world.sql.query(
    `select tenant, subject_id, actor_kind, reason, before, after from audit where action = 'campaign.cancelled'`,
  )
  expect(rows).toEqual([
    {
      tenant: null,
      subject_id: campaign.id,
      actor_kind: 'api_key',
      reason: 'the file is lost',
      before: { cancelled: false, open: 1 },
      after: { cancelled: true, addressesCancelled: 1 },
    },
  ])
})

test('Z6: cancelling a campaign stops users who are at the provider', async () => {
  const id = await world.link()
  await breakIt(id, 'identity_invalid')
  const { body: campaign } = await start({ causeCode: 'identity_invalid' })
  const browser = new HttpBrowser()
  const started = await browser.post(campaign.members[0].url)

  const { body } = await world.api('POST', `/campaigns/${campaign.id}/cancel`, { reason: 'sent twice' })
  await browser.follow(started)
  const again = await browser.post(campaign.members[0].url)

  expect(body.counts).toMatchObject({ started: 0, failed: 1 })
  expect((await world.api('GET', `/campaigns/${campaign.id}`)).body.counts).toMatchObject({ linked: 0, failed: 1 })
  expect(again.status).toBe(410)
})
