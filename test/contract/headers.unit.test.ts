import { describe, expect, test } from 'vitest'
import { CallbackBody } from '../../src/contract/gateway/requests.ts'
import {
  BearerCredential,
  bearer,
  brandedHeaders,
  IdempotencyKey,
  RetryAfter,
  Signature,
  ThreadId,
  Timestamp,
  WorkspaceName,
} from '../../src/contract/headers.ts'
import { ResourceName } from '../../src/contract/resource.ts'
import { workspacePattern } from '../../src/onboarding/domain/tenant.ts'
import { callbackBody, callbackHeaders } from '../../src/platform/shared/domain/callback.ts'

const longest = 'k'.repeat(8_192)

describe('a bearer credential', () => {
  test.each([
    [bearer('key'), 'key'],
    ['bearer key', 'key'],
    ['BEARER   key', 'key'],
    [`Bearer ${longest}`, longest],
  ])('accepts %.20j', (value, credential) => {
    expect(BearerCredential.parse(value)).toBe(credential)
  })

  test.each([
    ...['', 'Bearer', 'Bearer ', 'Basic key', 'key', 'Bearer a b', ' Bearer key', 'Bearer key '],
    `Bearer ${longest}k`,
    `Bearer${' '.repeat(9_000)}key`,
  ])('rejects %.20j', (value) => {
    expect(BearerCredential.safeParse(value).success).toBe(false)
  })
})

describe('a workspace', () => {
  const names = ['a', 'acme', 'acme-2', 'a--b', 'x'.repeat(49), 'x'.repeat(63)]
  const others = ['', 'Acme', '-acme', 'acme-', 'a b', 'acme ', 'a/b', 'a_b', 'x'.repeat(64), 'ä']

  test.each([...names, ...others])('accepts %.20j only if it can exist', (name) => {
    const expected = names.includes(name)

    expect(WorkspaceName.safeParse(name).success).toBe(expected)
    // The header and the stored name have the same pattern.
    expect(workspacePattern.test(name)).toBe(expected)
    if (ResourceName.safeParse(name).success) expect(expected).toBe(true)
  })
})

test.each([
  ['thread', ThreadId, ['t', 'x'.repeat(256), 'a/b:c~!'], ['', ' ', 'a b', 'ä', 'x'.repeat(257)]],
  ['idempotency key', IdempotencyKey, ['k', 'x'.repeat(255)], ['', 'a b', '\u0007', 'x'.repeat(256)]],
  [
    'retry after',
    RetryAfter,
    ['0', '7', '86400'],
    ['', '-1', '1.5', 'soon', 'Sun, 15 Nov 2026 12:00:00 GMT', '999999'],
  ],
] as const)('%s', (_, schema, good, bad) => {
  expect(good.filter((value) => !schema.safeParse(value).success)).toEqual([])
  expect(bad.filter((value) => schema.safeParse(value).success)).toEqual([])
})

test('parses seconds to wait as a number', () => {
  expect(RetryAfter.parse('07')).toBe(7)
})

test('the body of a callback matches the contract', () => {
  const names = brandedHeaders('Acme')
  const now = new Date('2026-11-15T12:00:00Z')

  const body = callbackBody(200, 'hello', 5, now)
  const headers = callbackHeaders(names, 'secret', body, now)

  expect(CallbackBody.parse(JSON.parse(body))).toMatchObject({ response_body: 'hello', timestamp: 1_794_744_000 })
  expect(Signature.parse(headers['X-Acme-Signature'])).toMatch(/^sha256=/)
  expect(Timestamp.parse(headers['X-Acme-Timestamp'])).toBe('1794744000')
})
