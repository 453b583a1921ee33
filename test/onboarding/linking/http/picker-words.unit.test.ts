import { expect, test } from 'vitest'
import { readMessages } from '../../../../src/kit/messages/read-messages.ts'
import { createTranslator } from '../../../../src/kit/messages/translator.ts'
import type { CatalogueItem } from '../../../../src/onboarding/domain/catalogue/catalogue-item.ts'
import type { ConnectChoice } from '../../../../src/onboarding/linking/flows/show-connect-page.ts'
import { pickerLocals } from '../../../../src/onboarding/linking/http/locals/picker.ts'

const files = readMessages()

const item = (id: string, displayName: string, category: string, description: string) =>
  ({
    ...{ id, displayName, description, about: { category } },
    names: displayName,
    searchText: `${displayName} ${description} ${category}`,
  }) as CatalogueItem

const items = [
  item('trello', 'Trello', 'project-management', 'Boards, lists and cards in Trello.'),
  item('google-calendar', 'Google Calendar', 'calendar', 'Read and plan events.'),
  item('own', 'Ledgerbird', 'accounting', 'Something that nobody has translated.'),
]

const choice = {
  session: { ifConnected: 'add', expiresAt: new Date(Date.now() + 900_000) },
  tenant: { id: 'acme', displayName: 'Acme', branding: {}, logos: {} },
  items,
  connections: [],
} as unknown as ConnectChoice

const appsIn = (lang: string, q = '') => {
  const { groups } = pickerLocals(choice, { q, page: 1 }, createTranslator(lang, files[lang]!))
  return Object.fromEntries(groups.flatMap(({ apps }) => apps.map(({ name, description }) => [name, description])))
}

test('apps of the catalogue are described in the language of the page', () => {
  expect(appsIn('en').Trello).toBe('Boards, lists and cards in Trello.')
  expect(appsIn('de').Trello).toBe('Boards, Listen und Karten.')
  expect(appsIn('ja').Trello).toBe('ボード、リスト、カード')
})

test('leaves out untranslated descriptions and keeps the category', () => {
  expect(appsIn('en').Ledgerbird).toBe('Something that nobody has translated.')
  expect(appsIn('fr')).toHaveProperty('Ledgerbird', undefined)
})

test.each([
  ['de', 'karten', 'Trello'],
  ['de', 'Kalender', 'Google Calendar'],
  ['de', 'calendar', 'Google Calendar'],
  ['ja', 'カード', 'Trello'],
  ['pt-BR', 'CARTÕES', 'Trello'],
  ['fr', 'google', 'Google Calendar'],
])('%s: %s finds %s', (lang, q, name) => {
  expect(Object.keys(appsIn(lang, q))).toEqual([name])
})
