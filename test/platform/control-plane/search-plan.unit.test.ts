import { expect, test } from 'vitest'
import { planSearch } from '../../../src/platform/control-plane/domain/search-plan.ts'

const frequencies = new Map([
  ['dri', 1],
  ['riv', 0.9],
  ['ive', 0.8],
  ['ve-', 0.8],
  ['-77', 0.008],
  ['777', 0.004],
  ['dr', 1],
])

test.each([
  ['only common parts', 'drive', { by: 'scan' }],
  ['a common pair', 'dr', { by: 'scan' }],
  ['a pair without a count', 'zq', { by: 'grams', grams: ['zq'] }],
  ['common and rare parts', 'drive-777', { by: 'grams', grams: ['e-7', '777', '-77'] }],
  ['a repeated part', '77777', { by: 'grams', grams: ['777'] }],
  ['characters outside the basic plane', '😀😀', { by: 'grams', grams: ['😀😀'] }],
])('a search with %s looks up the rarest parts, or none', (_, q, plan) => {
  expect(planSearch(q, frequencies)).toEqual(plan)
})
