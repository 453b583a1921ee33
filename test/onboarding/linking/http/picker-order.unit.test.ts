import { expect, test } from 'vitest'
import { readMessages } from '../../../../src/kit/messages/read-messages.ts'
import { createTranslator } from '../../../../src/kit/messages/translator.ts'
import type { CatalogueItem } from '../../../../src/onboarding/domain/catalogue/catalogue-item.ts'
import { popularIds } from '../../../../src/onboarding/domain/catalogue/catalogue-search.ts'
import type { ConnectChoice } from '../../../../src/onboarding/linking/flows/show-connect-page.ts'
import { pickerLocals } from '../../../../src/onboarding/linking/http/locals/picker.ts'

const english = createTranslator('en', readMessages().en!)

const item = (id: string) => ({ id, displayName: id, names: id, searchText: id, description: '' }) as CatalogueItem

const letters = [...'zyxwvutsrqponmlkjihgfedcba'].map((letter) => item(`${letter}-app`))

const shownTo = (items: CatalogueItem[], { choices = [] as string[], page = 1 } = {}) => {
  const choice = {
    session: { choices, expiresAt: new Date(Date.now() + 900_000) },
    tenant: { id: 'acme', displayName: 'Acme', branding: {}, logos: {} },
    ...{ items, connections: [] },
  } as unknown as ConnectChoice
  const { groups, back, more } = pickerLocals(choice, { q: '', page }, english)
  return { groups: groups.map(({ title, apps }) => ({ title, names: apps.map(({ name }) => name) })), back, more }
}

test('twelve popular apps come first, then all others from A to Z', () => {
  const { groups } = shownTo([...letters, ...popularIds.map(item)])

  expect(groups.map(({ title }) => title)).toEqual(['Popular apps', 'Other apps'])
  expect(groups[0]?.names).toEqual(popularIds.slice(0, 12))
  expect(groups[1]?.names.slice(0, 3)).toEqual(['a-app', 'airtable', 'asana'])
})

test('apps chosen by the tenant keep its order', () => {
  const choices = ['z-app', 'slack', 'a-app', 'gmail', ...letters.slice(3, 10).map(({ id }) => id)]

  const { groups } = shownTo([...letters, item('gmail'), item('slack')], { choices })

  expect(groups).toEqual([{ title: undefined, names: choices }])
})

test('a short list has no headings', () => {
  expect(shownTo([item('zoom'), item('a-app'), item('gmail')]).groups).toEqual([
    { title: undefined, names: ['gmail', 'zoom', 'a-app'] },
  ])
})

test('pages show every app once and link to the previous and next page', () => {
  const items = [...letters, ...popularIds.map(item)]
  const pages = [1, 2].map((page) => shownTo(items, { page }))

  const names = pages.flatMap(({ groups }) => groups.flatMap((group) => group.names))

  expect(new Set(names).size).toBe(items.length)
  expect(names).toHaveLength(items.length)
  expect(pages.map(({ back, more }) => ({ back, more }))).toEqual([
    { back: undefined, more: '?q=&page=2' },
    { back: '?q=&page=1', more: undefined },
  ])
})
