import { afterAll, beforeAll, expect, test } from 'vitest'
import { causeCodes, causes } from '../../../src/onboarding/domain/cause.ts'
import { causeWords } from '../../../src/onboarding/http/locals/support/words.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts'
import type { HttpBrowser } from '../../support/http-browser.ts'

let world: ConsoleWorld
let browser: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld({ integration: { health: { tool: 'list_files' } } })
  for (let links = 0; links < 3; links++) await link()
  await deny()
  // Counts of links are kept for a few seconds, and whoever signs in has seen them.
  browser = await world.signIn()
})

afterAll(() => world.close())

const overview = async () => (await world.open(browser, '/')).text

/** Links an account; when the platform refuses, the link stops and needs attention. */
async function link(refused = false) {
  world.platform.fault = ({ method, path }) =>
    refused && method === 'POST' && path === '/v0/functions' ? 403 : undefined
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  world.platform.fault = undefined
  return body
}

/** The background check finds a connection broken, by what the third party says of its grant. */
async function findBroken(id: string, words: string) {
  world.platform.tool = () => words
  await world.sql.query('update connections set health_due_at = case when id = $1 then now() end', [id])
  await world.flows.checkDueConnections()
  world.platform.tool = () => undefined
}

const groupsIn = (text: string) =>
  [...text.matchAll(/<td><a href="[^"]+"><strong>(\d+)<\/strong> (\w+)<\/a><\/td>\s*<td><strong>([^<]+)</g)].map(
    ([, count, what, cause]) => `${count} ${what}: ${cause}`,
  )

async function deny() {
  world.provider.misbehave({ callback: { code: undefined, error: 'access_denied' } })
  await world.consent(await world.mint())
  world.provider.calm()
}

const partIn = (text: string, name: string) =>
  new RegExp(`data-status="(\\w+)">${name}</span><span>([^<]*)<`).exec(text)?.slice(1)

test('the overview says how many links ended well, and why the others did not', async () => {
  const text = await overview()

  expect(text).toMatch(/Of those that ended, linked<\/dt><dd>75\.0 %/)
  expect(text).toMatch(
    new RegExp(`cause=consent_denied">${causes.consent_denied.title}</a>.*?<td class="number">1</td>`, 's'),
  )
})

test('the overview says of each part how it is: stores, webhooks, sweeper and health checks', async () => {
  const calm = await overview()
  await world.sql.query(`insert into webhooks (id, tenant, url, events, secret, status)
    values ('whk_1', 'acme', 'https://acme.example', '{}', 'x', 'disabled')`)
  await world.sql.query(`insert into webhook_deliveries (id, webhook, event, tenant, status, due_at)
    select 'dlv_1', 'whk_1', id, 'acme', 'dead', null from outbox limit 1`)
  await world.sql.query(`update links set due_at = now() - interval '5 minutes' where state = 'denied'`)
  await world.sql.query(`update connections set health_due_at = now() - interval '2 hours'`)
  const late = await overview()
  await world.sql.query(`update links set due_at = null where state = 'denied'`)
  await world.sql.query('update connections set health_due_at = null')
  await world.sql.query('delete from webhooks')

  const parts = ['Redis', 'Database', 'Platform', 'Webhooks', 'Sweeper', 'Health checks']
  expect(parts.map((name) => partIn(calm, name))).toEqual([
    ['linked', 'Answers'],
    ['linked', 'Answers'],
    ['linked', 'Answers'],
    ['linked', '0 waiting'],
    ['linked', 'On time'],
    ['linked', 'On time'],
  ])
  expect(parts.slice(3).map((name) => partIn(late, name))).toEqual([
    ['failed', '0 waiting, 1 given up, one receiver disabled'],
    ['failed', 'Late by 5 min'],
    ['failed', 'Late by 2 h'],
  ])
})

test('troubles are sorted by since when they are there, and not by the age of what is in trouble', async () => {
  const [older, younger] = [(await link()).connection.id, (await link()).connection.id]
  const [stopped] = [await link(true), await link(true)]

  await findBroken(younger, 'invalid_grant')
  world.platform.fault = () => 403
  await world.api('POST', `/links/${stopped.id}/resume`)
  world.platform.fault = undefined
  await findBroken(older, 'invalid_client')
  await findBroken(younger, 'invalid_grant')

  expect(groupsIn(await overview())).toEqual([
    `2 links: ${causes.platform_refused.title}`,
    `1 connection: ${causes.grant_revoked.title}`,
    `1 connection: ${causes.client_rejected.title}`,
  ])
})

test('since when a connection is in its status is written down as it breaks, and as it is mended', async () => {
  const { id } = (await link()).connection
  const since = async () =>
    (await world.sql.query('select status, status_since, updated_at from connections where id = $1', [id])).rows[0]
  const linked = await since()

  await findBroken(id, 'invalid_grant')
  const broke = await since()
  await findBroken(id, 'invalid_client')
  const stillBroken = await since()
  await world.api('POST', `/connections/${id}/health-checks`, { reason: 'it works, they say' })
  const mended = await since()

  expect([linked, broke, stillBroken, mended].map(({ status }) => status)).toEqual([
    'active',
    'needs_relink',
    'needs_relink',
    'active',
  ])
  expect(broke.status_since.getTime()).toBeGreaterThan(linked.status_since.getTime())
  expect(broke.updated_at).toEqual(broke.status_since)
  expect(stillBroken.status_since).toEqual(broke.status_since)
  expect(mended.status_since.getTime()).toBeGreaterThan(broke.status_since.getTime())
})

test.each(causeCodes.filter((code) => causes[code].whoseMove === 'support'))(
  'what to do about %s is said to support, and not to somebody who waits for support',
  (code) => {
    const { advice, move } = causeWords(code)

    expect(move).toBe('Your move')
    expect(advice).not.toMatch(/support|you granted/i)
  },
)
