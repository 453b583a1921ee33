import { expect, test } from 'vitest'
import { pageOfItems, tierToday } from '../../../src/onboarding/domain/catalogue/catalogue-item.ts'
import { catalogue } from '../../../src/onboarding/integrations/catalogue.ts'

const items = catalogue([], 'https://connect.example').items()
const now = new Date('2026-12-01T00:00:00Z')
const idsOf = (filter: Partial<Parameters<typeof pageOfItems>[1]>) =>
  pageOfItems(items, { limit: 200, ...filter }, now).data.map(({ id }) => id)

test('the catalogue has three hundred providers and four hundred products', () => {
  expect(new Set(items.map(({ about }) => about?.id)).size).toBeGreaterThanOrEqual(300)
  expect(items.length).toBeGreaterThanOrEqual(400)
})

test.each([
  ['the prefix of a name', 'pipedr', 'pipedrive'],
  ['another case', 'HUBSPOT', 'hubspot'],
  ['its function and vendor', 'google mail', 'gmail'],
  ['words in any order', 'online quickbooks', 'quickbooks'],
])('an app is found by %s', (_by, q, id) => {
  expect(idsOf({ q })).toContain(id)
})

test('an unknown app is not found', () => {
  expect(idsOf({ q: 'no such app' })).toEqual([])
})

test('filters by category and tier', () => {
  const found = pageOfItems(items, { category: 'crm', tier: 'verified', limit: 200 }, now).data

  expect(found.map(({ id }) => id)).toContain('hubspot')
  expect(found.every(({ about }) => about?.category === 'crm' && about.tier === 'verified')).toBe(true)
})

test('pages contain every app once, in order', () => {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = pageOfItems(items, { cursor, limit: 60 }, now)
    seen.push(...page.data.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor)

  expect(seen).toEqual(items.map(({ id }) => id))
})

test.each([
  ['verified', '2026-11-15', '2027-11-15', 'verified'],
  ['verified', '2026-11-15', '2027-11-17', 'corroborated'],
  ['listed', '2020-01-01', '2027-01-01', 'listed'],
] as const)('%s as of %s is, on %s, %s', (tier, asOf, day, worth) => {
  expect(tierToday({ tier, asOf }, new Date(`${day}T12:00:00Z`))).toBe(worth)
})

test('a filter for verified apps excludes one whose page was read too long ago', () => {
  const { data } = pageOfItems(items, { tier: 'verified', limit: 200 }, new Date('2028-01-01T00:00:00Z'))

  expect(data).toEqual([])
})

test('a listed app cannot be linked until an operator adds it to the integrations file', () => {
  const listed = items.find(({ about }) => about?.tier === 'listed')

  expect(listed).toMatchObject({ isLinkable: false, isConfigured: false })
  expect(catalogue([], 'https://connect.example').find(listed?.id ?? '')).toBeUndefined()
})
