import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { sweepLinks } from '../../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld({ integration: { health: { tool: 'list_files' } } })
  agent = await world.signIn(people.agent)
})
afterEach(async () => {
  world.platform.fault = undefined
  await world.sql.query('update links set due_at = now() where next_attempt_at is not null')
  while ((await sweepLinks(world.ports, world.settings)) > 0);
})
afterAll(() => world.close())

const read = async (path: string) => (await world.open(agent, path)).text
const link = async (id: string) => (await world.api('GET', `/links/${id}`)).body

/** The platform is away when the grant is in escrow, so the link waits for its next try. */
async function waitingLink() {
  world.platform.fault = () => 503
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  return body
}

/** The user links the same account again, and the platform is away when the new grant is to take over. */
async function waitingRelink() {
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  const { id } = body.connection
  const session = await world.api('POST', `/connections/${id}/relink-sessions`, { reason: 'for the test' })
  world.platform.fault = ({ method }) => (method === 'PUT' ? 503 : undefined)
  const user = new HttpBrowser()
  await user.follow(await user.post(session.body.url))
  return id as string
}

const linksIn = (html: string) => [...html.matchAll(/href="\/support(\/links\/lnk_\w+)"/g)].map(([, path]) => path)

test('the overview groups retried links by cause and step, with the next attempt, and links to them', async () => {
  const { id } = await waitingLink()

  const text = await read('/')

  expect(text).toMatch(/Links retrying<\/dt><dd><a [^>]*>1</)
  const [, row = ''] = /<h2 id="retries">.*?<tbody>(.*?)<\/tbody>/s.exec(text) ?? []
  expect(row).toContain('<strong>1</strong> link<')
  expect(row).toContain('The platform is not responding')
  expect(row).toContain('Access received')
  expect(row).toMatch(/Next attempt: <\/span>(in \d+ s|due now)/)
  const [, list = ''] = /href="\/support([^"]+)"/.exec(row) ?? []
  expect(linksIn(await read(list.replaceAll('&amp;', '&')))).toEqual([`/links/${id}`])
})

test('links without a failed attempt are not listed as retries', async () => {
  await world.linkHonestly()
  await waitingLink().then(({ id }) => world.api('POST', `/links/${id}/resume`))
  world.platform.fault = undefined
  await world.sql.query('update links set due_at = now() where next_attempt_at is not null')
  await sweepLinks(world.ports, world.settings)

  const text = await read('/')

  expect(text).not.toContain('id="retries"')
  expect(linksIn(await read('/links?retrying=yes'))).toEqual([])
})

test('the page and the API show the step, the last error, the attempts and the next attempt', async () => {
  const { id } = await waitingLink()
  const once = await read(`/links/${id}`)
  await world.sql.query('update links set due_at = now() where id = $1', [id])
  await sweepLinks(world.ports, world.settings)

  const twice = await read(`/links/${id}`)

  expect(once).toMatch(
    /The platform is not responding.*Step: <strong>Access received<\/strong>; 1 attempt, next attempt/s,
  )
  expect(twice).toMatch(/; 2 attempts, next attempt (in \d+ s|due now)\./)
  expect(await link(id)).toMatchObject({
    status: 'pending',
    cause: { code: 'platform_unavailable' },
    attempts: 2,
    nextAttemptAt: expect.stringMatching(/^20/),
  })
})

test('the page of a connection shows a retried re-link', async () => {
  const id = await waitingRelink()

  const text = await read(`/connections/${id}`)

  expect(text).toMatch(
    /Re-link: retrying automatically.*The platform is not responding\. Step: New access works; 1 attempt/s,
  )
  expect(text).toMatch(/<a href="\/support\/links\/lnk_\w+">View it or retry now/)
})

test('support retries a link immediately, and that is audited', async () => {
  const { id } = await waitingLink()
  const page = await read(`/links/${id}`)
  world.platform.fault = undefined

  const { status } = await world.send(agent, `/links/${id}/resume`, { reason: 'the platform is back' })

  expect(page).toMatch(new RegExp(`action="/support/links/${id}/resume".*<button[^>]*>Retry now</button>`, 's'))
  expect(status).toBe(303)
  await expect.poll(() => link(id), { timeout: 20_000 }).toMatchObject({ status: 'linked', attempts: 0 })
  expect((await link(id)).nextAttemptAt).toBeUndefined()
  const { rows } = await world.sql.query(`select * from audit where action = 'link.resumed' and link = $1`, [id])
  const waited = { state: 'escrowed', cause: 'platform_unavailable' }
  expect(rows).toMatchObject([
    {
      actor_kind: 'support',
      actor_id: people.agent.sub,
      reason: 'the platform is back',
      before: { ...waited, nextAttemptAt: expect.stringMatching(/^20/) },
      after: { ...waited, nextAttemptAt: null },
    },
  ])
})

test('the API retries a link immediately, and a link that fails again waits again', async () => {
  const { id } = await waitingLink()

  const inVain = await world.api('POST', `/links/${id}/resume`)
  world.platform.fault = undefined
  const mended = await world.api('POST', `/links/${id}/resume`)

  expect(inVain).toMatchObject({ status: 200, body: { status: 'pending', attempts: 1 } })
  expect(inVain.body.nextAttemptAt).toMatch(/^20/)
  expect(mended).toMatchObject({ status: 200, body: { status: 'linked', attempts: 0 } })
})

test('immediate retries neither use up attempts nor flood the platform', async () => {
  const { id } = await waitingLink()
  const statuses: number[] = []

  for (let tries = 0; tries < 11; tries++) {
    statuses.push((await world.api('POST', `/links/${id}/resume`)).status)
  }

  expect(statuses).toEqual([...Array(10).fill(200), 429])
  expect(await link(id)).toMatchObject({ status: 'pending', attempts: 1, nextAttemptAt: expect.stringMatching(/^20/) })
})

test('a claimed link is not retried, and its page explains why', async () => {
  const { id } = await waitingLink()
  await world.sql.query('update links set due_at = now() where id = $1', [id])
  await world.world.links.claimDue({ limit: 1, perTenant: 1 })

  const { status, body } = await world.api('POST', `/links/${id}/resume`)
  const page = await read(`/links/${id}`)
  await world.sql.query('update links set due_at = now() where id = $1', [id])
  await sweepLinks(world.ports, world.settings)

  expect([status, body.code]).toEqual([409, 'link_not_resumable'])
  expect(page).toContain('1 attempt, running now')
  expect(page).not.toContain('/resume"')
})
