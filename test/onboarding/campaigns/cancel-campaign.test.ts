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

test('a campaign whose file was lost is cancelled, and its connections can be in another one at once', async () => {
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

test('Z6: whoever is midway through when a campaign is cancelled is stopped, and brings no account in', async () => {
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

test('one campaign takes 5000, and says how many are left for another', async () => {
  await world.sql.query(`
    insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
      cause, end_user_id, account_id)
    select 'con_many' || n, 'acme', 'acme', 'provider', 'many-' || n, 'many-' || n, 'https://x.example', '{}',
      'needs_relink', 'consent_failed', 'u', 'account-' || n from generate_series(1, 5003) as n`)

  const first = await start({ causeCode: 'consent_failed' })
  const second = await start({ causeCode: 'consent_failed' })
  await world.sql.query(`update connections set status = 'disconnected' where id like 'con_many%'`)

  expect([first.body.members.length, first.body.remaining]).toEqual([5_000, 3])
  expect([second.body.members.length, second.body.remaining]).toEqual([3, 0])
})
