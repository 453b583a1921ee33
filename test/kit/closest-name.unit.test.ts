import { expect, test } from 'vitest'
import { closestName, didYouMean, editDistance } from '../../src/kit/process/closest-name.ts'

test.each([
  ['', '', 0],
  ['abc', '', 3],
  ['gmail', 'gmail', 0],
  ['gmial', 'gmail', 1],
  ['lnks', 'links', 1],
  ['salck', 'slack', 1],
  ['kitten', 'sitting', 3],
])('%j is to %j at distance %i', (one, other, distance) => {
  expect(editDistance(one, other)).toBe(distance)
  expect(editDistance(other, one)).toBe(distance)
})

test.each([
  ['gmial', ['github', 'gmail', 'google-mail'], 'gmail'],
  ['integration', ['tenantId', 'integrationIds', 'integrationId'], 'integrationId'],
  ['integration_id', ['integrationIds', 'integrationId'], 'integrationId'],
  ['Tenant-ID', ['tenantId'], 'tenantId'],
  ['outlook', ['outlook-calendar', 'outlook-mail', 'slack'], 'outlook-mail'],
  ['go', ['google-drive'], undefined],
  ['page', ['cursor', 'limit', 'status'], undefined],
  ['x', ['y'], undefined],
  ['', ['id'], undefined],
])('%j among %j suggests %j', (typed, candidates, suggested) => {
  expect(closestName(typed, candidates)).toBe(suggested)
})

test('a suggestion is a question, and no suggestion is nothing', () => {
  expect(didYouMean('gmial', ['gmail'])).toBe(' Did you mean "gmail"?')
  expect(didYouMean('gmial', ['slack'])).toBe('')
})

test('long names and long lists of candidates are not compared', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `other-${at}`)

  expect(closestName('x'.repeat(65), ['x'.repeat(64)])).toBeUndefined()
  expect(closestName('x'.repeat(64), ['x'.repeat(65)])).toBeUndefined()
  expect(closestName('gmial', [...many, 'gmail'])).toBeUndefined()
})
