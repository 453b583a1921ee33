import { describe, expect, test } from 'vitest'
import {
  isAllowedReturn,
  reservedParameters,
  returnUrlError,
  signedText,
  withOutcome,
} from '../../../src/onboarding/domain/linking/return-url.ts'
import { lookAlikes, registered, unsoundAddresses } from '../../support/http/redirect-vectors.ts'

test.each([...unsoundAddresses, ...lookAlikes])('$reason: browsers still parse $raw as we expect', ({ raw, lands }) => {
  const host = URL.canParse(raw) ? new URL(raw).hostname : undefined

  expect(host).toBe(lands)
})

test.each(unsoundAddresses)('$reason: $raw is rejected as a return URL', ({ raw }) => {
  expect(returnUrlError(raw)).toMatch(/^must /)
})

test.each([...unsoundAddresses, ...lookAlikes])('$reason: $raw does not match the registered URL', ({ raw }) => {
  expect(isAllowedReturn(raw, [registered])).toBe(false)
})

test.each([
  registered,
  'https://good.example/',
  'https://good.example/return?tab=integrations',
  'https://xn--bcher-kva.example/return',
  'http://localhost:3000/return',
  'http://127.0.0.1:8080/return',
  'http://[::1]:8080/return',
  ...lookAlikes.map(({ raw }) => raw),
])('%s is valid, and allowed if it is registered exactly', (raw) => {
  expect(returnUrlError(raw)).toBeUndefined()
  expect(isAllowedReturn(raw, [registered, raw])).toBe(true)
})

test.each(reservedParameters)('a registered URL cannot contain %s', (name) => {
  expect(returnUrlError(`https://good.example/return?${name}=x`)).toContain(name)
})

describe('the outcome in the return URL', () => {
  const outcome = { connect_session_id: 'ses_1', link_id: 'lnk_1', status: 'linked' }

  test('is added to the registered query and overrides its parameters', () => {
    const address = withOutcome('https://good.example/return?tab=1', outcome, 1_700_000_000, 'signature')

    expect(Object.fromEntries(new URL(address).searchParams)).toEqual({
      tab: '1',
      ...outcome,
      ts: '1700000000',
      sig: 'signature',
    })
  })

  test.each([
    ['https://good.example/return', '?'],
    ['https://good.example/return?', ''],
    ['https://good.example/return?next=%2Fa%20b&flag&c=~*', '&'],
    ['https://good.example/return?a=1&', ''],
  ])('is appended to %s without changing it', (returnUrl, joint) => {
    expect(returnUrlError(returnUrl)).toBeUndefined()
    expect(withOutcome(returnUrl, outcome, 1_700_000_000, 'signature')).toBe(
      `${returnUrl}${joint}connect_session_id=ses_1&link_id=lnk_1&status=linked&ts=1700000000&sig=signature`,
    )
  })

  test('is signed in sorted order, so that both sides sign the same text', () => {
    const turned = Object.fromEntries(Object.entries(outcome).reverse()) as typeof outcome

    expect(signedText(outcome, 5)).toBe('connect_session_id=ses_1&link_id=lnk_1&status=linked&ts=5')
    expect(signedText(turned, 5)).toBe(signedText(outcome, 5))
  })
})
