import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkDueConnections } from '../../../../src/onboarding/connections/flows/check-health.ts'
import { causeWords } from '../../../../src/onboarding/console/http/locals/cause-words.ts'
import { causeCodes, causes } from '../../../../src/onboarding/domain/cause.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { startStopwatch } from '../../../support/oracles/stopwatch.ts'
import { waitFor } from '../../../support/oracles/wait-for.ts'
import { startTestRedis } from '../../../support/processes/stores.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let redisServer: Awaited<ReturnType<typeof startTestRedis>>
let world: ConsoleWorld
let browser: HttpBrowser

beforeAll(async () => {
  redisServer = await startTestRedis()
  world = await startConsoleWorld({
    env: { REDIS_URL: redisServer.url },
    integration: { health: { tool: 'list_files' } },
  })
  for (let links = 0; links < 3; links++) await link()
  await deny()
  // Counts of links are cached for a few seconds, and the previous sign-in has cached them.
  browser = await world.signIn()
})

afterAll(async () => {
  await world.close()
  await redisServer.stop()
})

const overview = async () => (await world.open(browser, '/')).text

/** Links an account; when the platform refuses, the link stops and needs attention. */
async function link(refused = false) {
  world.platform.fault = ({ method, path }) =>
    refused && method === 'POST' && path === '/v0/functions' ? 422 : undefined
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  world.platform.fault = undefined
  return body
}

/** The background check finds a connection broken, by the code that its tool answers with. */
async function findBroken(id: string, code: string) {
  world.platform.tool = () => ({ code, text: 'It failed.' })
  await world.sql.query('update connections set health_due_at = case when id = $1 then now() end', [id])
  await checkDueConnections(world.ports, world.settings)
  world.platform.tool = () => undefined
}

const groupsIn = (text: string) =>
  [...text.matchAll(/<td><strong>(\d+)<\/strong> (\w+)<\/td>\s*<td><a href="[^"]+">([^<]+)</g)].map(
    ([, count, what, cause]) => `${count} ${what}: ${cause}`,
  )

async function deny() {
  world.provider.misbehave({ callback: { code: undefined, error: 'access_denied' } })
  await world.consent(await world.mint())
  world.provider.calm()
}

const answerIn = (text: string, ...names: string[]) => names.every((name) => partIn(text, name)?.[1] === 'OK')

/** When these answer: each has half a second, which a busy machine does not always keep. */
const overviewOnce = (...names: string[]) =>
  waitFor(`${names} answer`, async () => {
    const text = await overview()
    return answerIn(text, ...names) && text
  })

const partIn = (text: string, name: string) =>
  new RegExp(`data-status="(\\w+)">${name}</span><span>(?:<a[^>]*>)?([^<]*)<`).exec(text)?.slice(1)

test('the overview shows how many links succeeded, and why others failed', async () => {
  const text = await overview()

  // A user who denies access does not count as a failure.
  expect(text).toMatch(/Success rate<\/dt><dd>100\.0%/)
  expect(text).toMatch(/consent_denied[^>]*>[^<]*<\/a><svg [^>]*><rect class="pile-unfinished"/)
  expect(text).toMatch(
    new RegExp(`cause=consent_denied[^"]*">${causes.consent_denied.title}</a>.*?<td class="number">1</td>`, 's'),
  )
})

test('the overview shows the state of the stores, webhooks, sweeper and health checks', async () => {
  const calm = await overviewOnce('Redis', 'Database', 'Platform')
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

  const parts = ['Redis', 'Database', 'Platform', 'Integrations', 'Webhooks', 'Background jobs', 'Health checks']
  expect(parts.map((name) => partIn(calm, name))).toEqual([
    ['linked', 'OK'],
    ['linked', 'OK'],
    ['linked', 'OK'],
    ['linked', 'OK'],
    ['linked', '0 waiting'],
    ['linked', 'On schedule'],
    ['linked', 'On schedule'],
  ])
  expect(parts.slice(4).map((name) => partIn(late, name))).toEqual([
    ['failed', '0 waiting, 1 failed, 1 endpoint disabled'],
    ['failed', 'Behind by 5 min'],
    ['failed', 'Behind by 2 h'],
  ])
})

test('while Redis is frozen the console names Redis within two seconds, and recovers', async () => {
  const stopwatch = await startStopwatch(async () => (await fetch(`${world.url}/healthz`)).text())
  redisServer.signal('SIGSTOP')
  const looking = waitFor('the others answer', async () => {
    const timed = await stopwatch.time(() => world.open(browser, '/'))
    return answerIn(timed.answer.text, 'Database', 'Platform') && timed
  })
  const { answer: frozen, ms } = await looking.finally(() => redisServer.signal('SIGCONT'))
  await stopwatch.stop()
  const thawed = await overviewOnce('Redis')

  expect([frozen.status, frozen.headers.get('retry-after')]).toEqual([503, '5'])
  expect(['Redis', 'Database', 'Platform'].map((name) => partIn(frozen.text, name))).toEqual([
    ['failed', 'Not responding'],
    ['linked', 'OK'],
    ['linked', 'OK'],
  ])
  expect(ms).toBeLessThan(2_000)
  expect(partIn(thawed, 'Redis')).toEqual(['linked', 'OK'])
})

test('problems for support come before those that wait for users, each with its age', async () => {
  const [old, young] = [await link(), await link()]
  await findBroken(old.connection.id, 'grant_revoked')
  await findBroken(young.connection.id, 'client_rejected')
  await world.sql.query(`update connections set status_since = now() - interval '9 days' where id = $1`, [
    old.connection.id,
  ])

  const text = await overview()
  await world.sql.query(`update connections set status = 'active', cause = null where id = any($1)`, [
    [old.connection.id, young.connection.id],
  ])

  expect(groupsIn(text)).toEqual([
    '1 connection: The app rejected our OAuth client',
    '1 connection: Access was revoked',
  ])
  expect(text).toContain('Earliest: </span>9 days ago')
  expect(text).not.toContain('`')
})

test('O2, O4: problems for the operator are on the overview, with names of settings only for admins', async () => {
  const { readiness } = world.world
  const { platform } = readiness
  const warning =
    'The platform does not know the integration crm: give it the same INTEGRATIONS_FILE, and restart it after a change of that file.'
  const state = 'misconfigured: 401: PLATFORM_API_KEY is not accepted'
  readiness.platform = async () => ({ ready: true, state: 'ready', warnings: [warning] })
  const warned = await overview()
  const ofAdmin = (await world.open(await world.signIn(people.admin), '/')).text
  readiness.platform = async () => ({ ready: false, state, warnings: [] })
  const wrong = (await world.open(await world.signIn(people.admin), '/')).text
  readiness.platform = platform

  expect(partIn(warned, 'Platform')).toEqual(['failed', '1 warning'])
  expect(ofAdmin).toContain(warning)
  expect(warned).toContain('Your operator has to act')
  expect(warned).not.toContain('INTEGRATIONS_FILE')
  expect(partIn(wrong, 'Platform')).toEqual(['failed', 'Misconfigured'])
  expect(wrong).toContain(`Platform ${state}.`)
})

test('O1: connections with unknown health are on the overview and in a filter', async () => {
  const { id } = (await link()).connection
  await world.sql.query('update connections set health_unknown_since = now() where id = $1', [id])
  const browser = await world.signIn()
  const [seen, found] = [await overview(), (await world.open(browser, '/connections?health=unknown')).text]
  await world.sql.query('update connections set health_unknown_since = null where id = $1', [id])

  expect(groupsIn(seen)).toContain('1 connection: Health unknown')
  expect(found).toContain(`/support/connections/${id}`)
})

test('connections whose grants end soon are on the overview, in a filter, and show the date', async () => {
  const { id } = (await link()).connection
  await world.sql.query("update connections set grant_ends_at = now() + interval '9 days' where id = $1", [id])
  const browser = await world.signIn()
  const [seen, found, page] = [
    await overview(),
    (await world.open(browser, '/connections?health=ending')).text,
    (await world.open(browser, `/connections/${id}`)).text,
  ]
  const { body } = await world.api('GET', `/connections/${id}`)
  await world.sql.query('update connections set grant_ends_at = null where id = $1', [id])

  expect(groupsIn(seen)).toContain('1 connection: Access ends soon')
  expect(seen).toContain('in 9 days')
  expect(found).toContain(`/support/connections/${id}`)
  expect(page).toMatch(/The app ends the access on .* \(in 9 days\)/)
  expect(body).toMatchObject({ status: 'active', grantEndsAt: expect.any(String) })
})

test('problems are sorted by when they began, not by the age of the connection', async () => {
  const [older, younger] = [(await link()).connection.id, (await link()).connection.id]
  const [stopped] = [await link(true), await link(true)]

  await findBroken(younger, 'grant_revoked')
  world.platform.fault = () => 422
  await world.api('POST', `/links/${stopped.id}/resume`)
  world.platform.fault = undefined
  await findBroken(older, 'insufficient_scope')
  await findBroken(younger, 'grant_revoked')

  expect(groupsIn(await overview())).toEqual([
    `2 links: ${causes.platform_refused.title}`,
    `1 connection: ${causes.grant_revoked.title}`,
    `1 connection: ${causes.scope_insufficient.title}`,
  ])
})

test.each(causeCodes.filter((code) => causes[code].whoseMove === 'support'))(
  'the advice for %s is addressed to support',
  (code) => {
    const { advice, actionFrom } = causeWords(code)

    expect(actionFrom).toBe('Support')
    expect(advice).not.toMatch(/support|you granted/i)
  },
)

test('a failure reason links to the links of the same days', async () => {
  const text = await overview()
  const firstDay = new Date(Date.now() - 13 * 86_400_000).toISOString().slice(0, 10)

  expect(text).toContain(`href="/support/links?cause=consent_denied&amp;from=${firstDay}"`)
})
