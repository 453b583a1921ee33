import { expect, test } from 'vitest'
import { pageOfItems } from '../../../src/onboarding/domain/catalogue/catalogue-item.ts'
import { otherNames, popularIds, searchItems } from '../../../src/onboarding/domain/catalogue/catalogue-search.ts'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { catalogueItems } from '../../../src/onboarding/integrations/catalogue-items.ts'

const items = catalogueItems(shippedCatalogue(), new Map())

const idsOf = (q: string) => searchItems(items, q, (item) => item).map(({ id }) => id)

test.each([
  ['gogle calender', 'google-calendar'],
  ['gamil', 'gmail'],
  ['slak', 'slack'],
  ['salesfroce', 'salesforce'],
  ['quikbook', 'quickbooks'],
  ['outlok mai', 'outlook-mail'],
  ['micorsoft teasm', 'microsoft-teams'],
  ['googlecalendar', 'google-calendar'],
  ['quick books', 'quickbooks'],
  ['twitter', 'x'],
  ['office 365', 'excel'],
  ['NOTION', 'notion'],
  ['x', 'x'],
  ['gmail', 'gmail'],
  ['facebook ads', 'facebook-leads'],
  ['fb', 'facebook-pages'],
  ['ig', 'instagram'],
  ['yt', 'youtube'],
  ['google my business', 'google-business-profile'],
  ['adwords', 'google-ads'],
  ['ga4', 'google-analytics'],
  ['sfdc', 'salesforce'],
  ['qbo', 'quickbooks'],
  ['intuit', 'quickbooks'],
  ['gohighlevel', 'highlevel'],
  ['echosign', 'adobe-sign'],
  ['azure ad', 'entra-groups'],
  ['gsuite', 'gmail'],
  ['m365', 'excel'],
  ['ms outlook', 'outlook-mail'],
  ['jira cloud', 'jira'],
  ['vsts', 'azure-devops'],
  ['gh', 'github'],
  ['navision', 'business-central'],
  ['ms teams', 'microsoft-teams'],
  ['line', 'line'],
])('%s finds %s first', (q, id) => {
  expect(idsOf(q)[0]).toBe(id)
})

test('a match in the name comes before one in the description', () => {
  const named = idsOf('calendar').map((id) => id.includes('calendar'))

  expect(named).toContain(false)
  expect(named.lastIndexOf(true)).toBeLessThan(named.indexOf(false))
})

test('correctly spelled words do not match similar spellings', () => {
  expect(idsOf('linear').filter((id) => id.startsWith('line') && !id.startsWith('linear'))).toEqual([])
})

test.each(['xqzt', 'gogle xqzt', 'slk', 'lsack'])('%s finds nothing', (q) => {
  expect(idsOf(q)).toEqual([])
})

test('ignores accents and letter case', () => {
  const cafe = { names: 'Café Société', searchText: 'Café Société' }

  expect(searchItems([cafe], 'CAFE societe', (item) => item)).toEqual([cafe])
})

test('the API and the catalogue page tolerate typos too, page by page', () => {
  const all = pageOfItems(items, { q: 'gogle', limit: 100 }, new Date()).data.map(({ id }) => id)

  const rest = pageOfItems(items, { q: 'gogle', cursor: all[0], limit: 100 }, new Date()).data

  expect(all).toContain('google-calendar')
  expect(rest.map(({ id }) => id)).toEqual(all.slice(1))
})

test('the API and the catalogue page list the best match first, and popular apps before others', () => {
  const pageOf = (q: string) => pageOfItems(items, { q, limit: 100 }, new Date()).data.map(({ id }) => id)

  expect(pageOf('x')[0]).toBe('x')
  expect(pageOf('office 365')[0]).toBe('outlook-mail')
  expect(pageOf('calendar').slice(0, 2)).toEqual(['google-calendar', 'outlook-calendar'])
})

test('a page of a search whose cursor is no match is empty', () => {
  expect(pageOfItems(items, { q: 'gmail', cursor: 'zoom', limit: 100 }, new Date()).data).toEqual([])
})

test('counts all matches, on each page', () => {
  const first = pageOfItems(items, { q: 'google', category: 'calendar', limit: 1 }, new Date())
  const all = pageOfItems(items, { q: 'google', category: 'calendar', limit: 100 }, new Date())

  expect(all.data.length).toBeGreaterThan(0)
  expect([first.count, all.count]).toEqual([all.data.length, all.data.length])
})

test('popular apps and aliases refer to apps of the catalogue', () => {
  const known = new Set(items.map(({ id }) => id))

  expect([...popularIds, ...Object.keys(otherNames)].filter((id) => !known.has(id))).toEqual([])
})
