import { expect, test } from 'vitest'
import { earnedTier, type LinkFormSource, unsourcedMembers } from '../../src/contract/integrations/link-form.ts'

const rest = ['scopes', 'scopeSeparator', 'pkce', 'refreshTokens', 'clientAuthentication'] as const
const recent = { date: '2026-08-21', confirms: ['authorization', 'token'] } satisfies LinkFormSource
const old = { ...recent, date: '2024-11-17' }
const page = { ...recent, isVendor: true } as const
const others = { date: '2026-08-21', confirms: rest } satisfies LinkFormSource

const file = (...sources: LinkFormSource[]) => ({
  asOf: '2026-11-18',
  sources,
  products: [{ scopes: ['read', 'write'] }],
})

test.each([
  ['the vendor has both addresses', [page, others], 'verified'],
  ['the vendor has one address', [{ ...page, confirms: ['token'] as const }, recent, others], 'listed'],
  ['two sources have both addresses', [recent, recent, others], 'corroborated'],
  ['one of two sources is older than two years', [recent, old, others], 'corroborated'],
  ['both sources are older than two years', [old, old, others], 'listed'],
  ['one source has both addresses', [recent, others], 'listed'],
  ['no source has the rest of the link form', [page, recent], 'listed'],
])('if %s, the tier follows from it', (_, sources, tier) => {
  expect(earnedTier(file(...sources))).toBe(tier)
})

test('members without a source are named', () => {
  expect(unsourcedMembers(file(page, { ...others, confirms: ['scopes', 'pkce'] }))).toEqual([
    'scopeSeparator',
    'refreshTokens',
    'clientAuthentication',
  ])
})

test.each([
  ['one scope', { products: [{ scopes: ['read'] }] }],
  ['scopes of the app', { scopesFrom: 'app' }],
])('a separator needs no source for %s', (_, given) => {
  const sources = [page, { ...others, confirms: rest.filter((member) => member !== 'scopeSeparator') }]

  expect(unsourcedMembers({ ...file(...sources), ...given })).toEqual([])
})
