// What the console says of an address or a form that it cannot take.
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
    ['/connections?cause=bad', 'cause: is not one of the options'],
    ['/connections?cause=scope_missing&cause=bad', 'cause: is not one of the options'],
    ['/connections?status=bad', 'status: is not one of the options'],
    ['/links?state=bad', 'state: is not one of the options'],
    ['/webhooks?status=bad', 'status: is not one of the options'],
    ['/connections?tenant=a&tenant=b', 'tenant: must be a single text'],
    [`/audit?actor=${'x'.repeat(201)}`, 'actor: must have at most 200 characters'],
    [`/search?q=${'x'.repeat(201)}`, 'q: must have at most 200 characters'],
  ])('%s is reported in plain words', async (path, words) => {
    const { status, text } = await world.open(agent, path)

    expect(status).toBe(422)
    expect(text).toContain(`<li>${words}</li>`)
    expect(text).not.toMatch(/Invalid|expected|received/)
  })

  test('an incomplete form is reported in plain words', async () => {
    const { text } = await world.send(agent, '/connections/con_1/relink', { days: '365' })

    expect(text).toContain('<li>reason: Give a reason in a few words.</li>')
    expect(text).toContain('<li>days: is not one of the options</li>')
    expect(text).not.toMatch(/Invalid|expected|received/)
  })
})
