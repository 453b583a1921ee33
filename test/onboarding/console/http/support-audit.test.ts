import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld({ integration: { health: { tool: 'list_files' } } })
  agent = await world.signIn(people.agent)
})

afterAll(() => world.close())

const read = async (path: string) => (await world.open(agent, path)).text

async function link() {
  const minted = await world.mint()
  return (await world.complete(minted, (await world.consent(minted)).query)).body
}

test('the audit log of a connection has every step of its link', async () => {
  const { id, connection } = await link()

  const { body } = await world.api('GET', `/audit?connectionId=${connection.id}`)
  const page = await read(`/links/${id}`)

  const [started, waiting, sent, ready, ...others] = body.data.toReversed()
  const actions = [started, waiting, sent, ready, ...others].map(({ action }) => action)
  expect(actions.slice(0, 3)).toEqual(['link.started', 'link.code_waiting', 'link.exchanging'])
  expect(actions.at(-1)).toBe('link.linked')
  const times = [sent.occurredAt, ready.facts.receivedAt, ready.occurredAt]
  expect(times.toSorted()).toEqual(times)
  expect(page).toContain('Token response received and sealed')
})

test('the API and the export show the same subject and facts', async () => {
  const { id, connection } = await link()

  const { body } = await world.api('GET', `/audit?linkId=${id}&action=link.started`)
  const { text: csv } = await world.open(agent, `/audit.csv?link=${id}&action=link.started`)

  expect(body.data).toMatchObject([
    { subject: { kind: 'link', id }, facts: { client: 'shared' }, tenantId: 'acme', connectionId: connection.id },
  ])
  expect(body.data[0]).not.toHaveProperty('reason')
  const [head = '', line = ''] = csv.split('\r\n')
  expect(head).toMatch(/^at,action,subjectKind,subjectId,facts,/)
  expect(line).toContain(`link.started,link,${id},"{""client"":""shared""}",browser`)
})

test('the second page of the audit log is found in the months of the partitions, by API and in the console', async () => {
  await world.ports.auditRetention.continueMonths()
  await link()

  const { body } = await world.api('GET', '/audit?limit=2')
  const next = await world.api('GET', `/audit?limit=2&cursor=${body.nextCursor}`)
  const page = await world.open(agent, `/audit?cursor=${body.nextCursor}`)

  expect(body.nextCursor).toMatch(/^2\d{15}$/)
  expect(next.body.data).toHaveLength(2)
  expect(page.status).toBe(200)
  expect(page.text).toContain('link.started')
})

test.each([
  ['link.linkd', 'is not an action of the audit; the nearest is link.linked'],
  ['x'.repeat(101), 'is not an action of the audit'],
])('filtering by %s, which is not an action, is rejected', async (action, detail) => {
  const { status, body } = await world.api('GET', `/audit?action=${action}`)
  const page = await world.open(agent, `/audit?action=${action}`)

  expect([status, page.status]).toEqual([422, 422])
  expect(body.errors).toEqual([{ pointer: '/action', parameter: 'action', detail }])
  expect(page.text).toContain('<p>Action must be one of the list')
})

test("the audit entries of a link and of support's actions are fully described in words", async () => {
  const { connection } = await link()
  await world.send(agent, `/connections/${connection.id}/relink`, { reason: 'ticket 100', days: '1' })

  const page = await read(`/audit?connection=${connection.id}`)

  expect(page).toMatch(/<summary>Reconnect link created<\/summary>.*ticket 100.*another account allowed<\/dt><dd>no/s)
  expect(page).toMatch(/<summary>Link: Opened by the user<\/summary>.*OAuth client<\/dt><dd>shared/s)
})

test("automatic and API entries never push support's actions off the page of a connection", async () => {
  const { connection } = await link()
  await world.send(agent, `/connections/${connection.id}/check`, { reason: 'ticket 99' })
  await world.sql.query(
    `insert into audit (action, actor_kind, tenant, connection)
     select 'callback.replayed', (array['worker', 'browser', 'api_key'])[1 + n % 3], 'acme', $1
     from generate_series(1, 90) n`,
    [connection.id],
  )

  const page = await read(`/connections/${connection.id}`)

  const [, actions = ''] = /<h2 id="history">(.*?)<\/section>/s.exec(page) ?? []
  expect(actions).toMatch(/checked by agent@support\.example.*ticket 99/s)
})

test('the audit log only links to connections that exist', async () => {
  const { connection } = await link()
  world.provider.misbehave({ callback: { code: undefined, error: 'access_denied' } })
  const minted = await world.mint()
  await world.consent(minted)
  world.provider.calm()
  const denied = (await world.api('GET', `/connect-sessions/${minted.id}`)).body.linkId

  const page = await read('/audit')

  const paths = [
    ...new Set([...page.matchAll(/href="\/support(\/connections\/con_\w+)"/g)].map(([, path]) => path ?? '')),
  ]
  expect(paths).toContain(`/connections/${connection.id}`)
  for (const path of paths) expect((await world.open(agent, path)).status).toBe(200)
  expect(page).toContain(`href="/support/links/${denied}"`)
})
