import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  agent = await world.signIn(people.agent)
})
afterAll(() => world.close())

describe('an invalid filter', () => {
  test.each([
    ['/connections?cause=bad', 'Cause must be one of the list, not “bad”.'],
    ['/connections?cause=scope_missing&cause=bad', 'Cause must be one of the list.'],
    ['/connections?status=bad', 'Status must be Active, Reconnect needed, No account yet, or Disconnected, not “bad”.'],
    [
      '/connections.csv?status=bad',
      'Status must be Active, Reconnect needed, No account yet, or Disconnected, not “bad”.',
    ],
    ['/webhooks?status=bad', 'Status must be Pending, Delivered, or Failed, not “bad”.'],
    ['/connections?tenant=a&tenant=b', 'Tenant must be a single text.'],
    ['/links?from=monday', 'From must be a date such as 2026-01-31, not “monday”.'],
    [`/audit?actor=${'x'.repeat(201)}`, 'Actor must have at most 200 characters.'],
    [`/search?q=${'x'.repeat(201)}`, 'Search must have at most 200 characters.'],
  ])('%s is explained on a console page', async (path, words) => {
    const { status, text } = await world.open(agent, path)

    expect(status).toBe(422)
    expect(text).toContain(`<p>${words}</p>`)
    expect(text).toContain('<nav aria-label="Main">')
    expect(text).not.toMatch(/Invalid|expected|received|`|errors/)
  })

  test('the page links to the list without the invalid filter, and keeps the others', async () => {
    const { text } = await world.open(agent, '/links?tenant=acme&state=bad')

    expect(text).toContain('href="/support/links?tenant=acme">Show without this filter')
    expect(text).toContain('Needs attention')
  })

  test.each([
    ['/webhooks?status=failed', 'dead'],
    ['/webhooks?status=Failed', 'dead'],
    ['/connections?status=Reconnect%20needed', 'needs_relink'],
    ['/connections?status=reconnect-needed', 'needs_relink'],
    ['/links?status=failed', 'failed'],
    ['/links?state=not_completed', 'abandoned'],
  ])('%s is accepted in the page’s own format', async (path, value) => {
    const { status, text } = await world.open(agent, path)

    expect(status).toBe(200)
    expect(text).toContain(`<option value="${value}" selected>`)
  })

  test.each([
    ['/connections?tenant=Acme%20Inc&status=active', '/support/connections?tenant=acme&status=active'],
    ['/audit.csv?tenant=ACME+inc', '/support/audit.csv?tenant=acme'],
  ])('%s leads to the tenant with this name', async (path, place) => {
    await world.sql.query("update tenants set display_name = 'Acme Inc' where id = 'acme'")

    const answer = await fetch(`${world.url}/support${path}`, {
      redirect: 'manual',
      headers: { Cookie: agent.cookiesFor(`${world.url}/support`) },
    })

    expect([answer.status, answer.headers.get('location')]).toEqual([303, place])
  })

  test.each(['connections', 'links', 'webhooks', 'audit'])('an unknown filter of %s is named', async (list) => {
    const unknown = await world.open(agent, `/${list}?colour=red`)
    const known = await world.open(agent, `/${list}?tenant=acme&done=replayed`)

    expect(unknown.text).toContain('“colour” in the address isn’t a filter of this list and was ignored.')
    expect(known.text).not.toContain('Unknown filter')
  })

  test('an incomplete form is reported in plain words', async () => {
    const { text } = await world.send(agent, '/connections/con_1/relink', { days: '365' })

    expect(text).toContain('<li>reason: Give a reason in a few words.</li>')
    expect(text).toContain('<li>days: is not one of the options</li>')
    expect(text).not.toMatch(/Invalid|expected|received/)
  })
})
