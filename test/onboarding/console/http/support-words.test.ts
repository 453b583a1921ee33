// Lists and the page of a person are in the words of people, not of the API.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditActionNames } from '../../../../src/onboarding/domain/audit/audit-actions.ts'
import { causeCodes } from '../../../../src/onboarding/domain/cause.ts'
import { connectionStatuses } from '../../../../src/onboarding/domain/connection.ts'
import { linkStates } from '../../../../src/onboarding/domain/link.ts'
import { tenantEventNames } from '../../../../src/onboarding/domain/tenant-event.ts'
import { deliveryStatuses } from '../../../../src/onboarding/domain/webhooks/delivery.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { consolePages } from '../../../support/worlds/console-pages.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let admin: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  admin = await world.signIn(people.admin)
  const endUser = { id: 'user-1', email: 'user@acme.example' }
  const minted = await world.mint({ endUser })
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  await world.send(admin, `/connections/${body.connection.id}/relink`, { reason: 'ticket 1', days: '1' })
  await world.sql.query(`update connections set status = 'needs_relink', cause = 'grant_revoked'`)
  await world.sql.query(
    `
    insert into links (id, session_id, tenant, workspace, integration, end_user, browser, state, cause, resume_from,
      connection_id, connection_name, function_name)
    select 'lnk_state_' || replace(state, '_', ''), 'ses_' || state, 'acme', 'acme', 'provider',
      '{"id": "user-1"}', 'none', state, 'platform_refused', 'escrowed', 'con_none', 'none', 'none'
    from unnest($1::text[]) as state`,
    [linkStates],
  )
  await world.sql.query(`
    insert into audit (action, actor_kind, tenant, link, facts, before, after)
    values ('link.needs_attention', 'worker', 'acme', 'lnk_state_linked', '{"cause": "platform_refused", "detail": "not_json"}',
      '{"state": "escrowed", "status": "active"}', '{"state": "needs_attention", "status": "needs_relink"}')`)
  await world.sql.query(`
    insert into webhooks (id, tenant, url, events, secret) values ('whk_1', 'acme', 'https://acme.example/hooks', '{}', 'none')`)
  await world.sql.query(
    `
    insert into webhook_deliveries (id, webhook, event, tenant, status, failure_reason, due_at)
    select 'dlv_' || status, 'whk_1', (select id from outbox limit 1), 'acme', status, 'refused', null
    from unnest($1::text[]) as status`,
    [deliveryStatuses],
  )
})
afterAll(() => world.close())

/** The visible text, without attributes and message JSON. */
const readable = (html: string) =>
  html
    .replaceAll(/<pre.*?<\/pre>/gs, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\b(?:con|lnk|ses|dlv|req)_\w+/g, '')

const codes = ['not_json', ...linkStates, ...connectionStatuses, ...deliveryStatuses, ...causeCodes].filter((code) =>
  code.includes('_'),
)

const wrongAddresses = ['/connections?status=bad', '/links?colour=red', '/links?state=bad', '/webhooks?status=bad']

const faults: Array<[string, RegExp]> = [
  ['a backtick', /`/],
  ['text of the API', /\berrors says\b/],
  ['an internal term', /\b(?:grants?|deployments?|members?|held)\b/i],
  ['the name of a setting', /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/],
  [
    'an event or action',
    new RegExp(`\\b(?:${[...tenantEventNames, ...auditActionNames].join('|').replaceAll('.', '\\.')})\\b`),
  ],
]

test.each(['agent', 'admin'] as const)(
  'no page of an %s has a code, the name of a setting, or an internal term',
  async (who) => {
    const pages = await consolePages(world, await world.signIn(people[who]), wrongAddresses)
    const found = [...pages].flatMap(([path, html]) => {
      const words = readable(html)
      const told = who === 'admin' ? words.replaceAll(/For the operator:?.*/g, '') : words
      const wrong = faults.flatMap(([name, fault]) => (fault.test(told) ? [`${name} (${fault.exec(told)?.[0]})`] : []))
      return [...wrong, ...codes.filter((code) => new RegExp(`\\b${code}\\b`).test(words))].map(
        (each) => `${path}: ${each}`,
      )
    })

    expect(found).toEqual([])
    expect(pages.size).toBeGreaterThan(30)
  },
)

test('the audit log names actions in words', async () => {
  const words = readable((await world.open(admin, '/audit')).text)

  expect(auditActionNames.filter((action) => words.includes(action))).toEqual([])
})

test('the page of a tenant has its numbers', async () => {
  const { text } = await world.open(admin, '/tenants/acme')

  expect(text).toMatch(/<dt>Connections<\/dt><dd><a href="[^"]+">1<\/a>/)
  expect(text).toMatch(/<dt>To reconnect<\/dt><dd><a href="[^"]+status=needs_relink">1<\/a>/)
  // IDs that the test wrote are not of the last days.
  expect(text).toMatch(/<dt>Success rate, 14 days<\/dt><dd>\d+%/)
})

test('O37: a connection is called healthy only after a check', async () => {
  const { rows } = await world.sql.query<{ id: string }>('select id from connections')
  await world.sql.query(`update connections set status = 'active', cause = null`)
  const words = async () => readable((await admin.get(`${world.url}/support/connections/${rows[0]?.id}`)).text)

  const before = await words()
  await world.api('POST', `/connections/${rows[0]?.id}/health-checks`, { reason: 'ticket 2' })
  const after = await words()

  expect([before.includes('Linked, not checked yet.'), before.includes('Healthy.')]).toEqual([true, false])
  expect(after).not.toContain('not checked yet')
})

test('forms and filters suggest tenants by name, and a campaign by a key names no ID as its person', async () => {
  await world.sql.query(`update connections set status = 'needs_relink', cause = 'grant_revoked'`)
  await world.api('POST', '/campaigns', { causeCode: 'grant_revoked', reason: 'ticket 3' })
  const offered = '<option value="acme" label="Acme">'
  const pages = await Promise.all(
    ['/campaigns', '/keys', '/keys/new'].map(async (path) => (await world.open(admin, path)).text),
  )

  expect(pages.map((text) => text.includes(offered))).toEqual([true, true, true])
  expect(pages[0]?.match(/<option value="(?!acme)[a-z-]+">/g)).toEqual(['<option value="provider">'])
  expect(pages[0]).toMatch(/API key <small class="machine">key_/)
})

test('a function is offered only for apps with an OAuth client', async () => {
  const { text } = await world.open(admin, '/tenants/acme')
  const [, form = ''] = /action="[^"]+\/connections">(.*?)<\/form>/s.exec(text) ?? []

  expect(form.match(/<option value="[^"]*"/g)).toEqual(['<option value="provider"'])
})

test('detail pages begin with a picture, and figures of the overview link to their lists', async () => {
  const { rows } = await world.sql.query<{ id: string }>('select id from connections')
  const paths = [`/connections/${rows[0]?.id}`, '/links/lnk_state_linked', '/tenants/acme', '/doctor/provider']
  const pages = await Promise.all(paths.map(async (path) => (await world.open(admin, path)).text))
  const overview = (await world.open(admin, '')).text

  expect(pages.map((text) => /class="app-head">\s*<span class="app-icon"/.test(text))).toEqual(paths.map(() => true))
  expect(overview).toMatch(/<dt>Links needing attention<\/dt><dd><a href="\/support\/links\?state=needs_attention">/)
})
