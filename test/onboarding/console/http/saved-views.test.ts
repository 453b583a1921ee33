// Filters of a list that a user of the console saves under a name, without JavaScript.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await startConsoleWorld()
})
afterAll(() => world.close())

const filtered = '/connections?status=needs_relink'
const viewsIn = (html: string) =>
  [...(html.split('aria-label="Saved views"')[1] ?? '').matchAll(/<li><a href="([^"]+)"[^>]*>([^<]+)</g)].map(
    ([, at, name]) => [name, at],
  )

test('filters saved under a name come back after the next sign-in, for this person only, until removed', async () => {
  const saved = await world.press(await world.signIn(), filtered, '/views', { name: ' Broken ones ' })
  const later = await world.signIn()
  const found = await world.open(later, '/connections')
  const current = await world.open(later, filtered)
  const others = await world.open(await world.signIn(people.admin), '/connections')
  const links = await world.open(later, '/links')
  await world.press(later, filtered, '/views/remove')
  const after = await world.open(later, '/connections')

  expect(saved.headers.get('location')).toBe(`/support${filtered}`)
  expect(viewsIn(found.text)).toEqual([['Broken ones', `/support${filtered}`]])
  expect(current.text).toContain('aria-current="true">Broken')
  expect(current.text).not.toContain('Save this view')
  expect([others, links, after].map(({ text }) => text.includes('Broken ones'))).toEqual([false, false, false])
})

test('a view is removed from a page with other filters, which stay', async () => {
  const agent = await world.signIn(people.admin)
  await world.send(agent, '/views', { list: 'connections', name: 'Old one', query: 'status=gone' })

  const removed = await world.press(agent, '/connections?status=active', '/views/remove')
  const after = await world.open(agent, '/connections')

  expect(removed.headers.get('location')).toBe('/support/connections?status=active')
  expect(after.text).not.toContain('Old one')
})

test('a name is needed, a list has at most 20 views, and a view with the same name is replaced', async () => {
  const agent = await world.signIn()
  const save = (name: string, query = 'state=linked') => world.send(agent, '/views', { list: 'links', name, query })
  const empty = await save(' ')
  for (let at = 1; at <= 20; at++) await save(`view ${at}`)
  const beyond = await save('view 21', 'state=failed')
  const replaced = await save('view 20', 'state=failed')

  expect([empty.status, beyond.status, replaced.status]).toEqual([422, 422, 303])
  expect(empty.text).toContain('id="fault-name">Name is required.')
  expect(beyond.text).toContain('id="fault-name">You have 20 saved views of this list. Remove one first.')
  expect(beyond.text).toContain('<h1>Links</h1>')
  const { text } = await world.open(agent, '/links?state=failed')
  expect(viewsIn(text)).toHaveLength(20)
  expect(text).toContain('aria-current="true">view 20<')
})
