import { expect, test } from 'vitest'
import { readRefreshAnswer } from '../../../src/platform/gateway/adapters/token-answer.ts'
import { GrantRevoked } from '../../../src/platform/gateway/domain/connection.ts'

type About = Parameters<typeof readRefreshAnswer>[1]

test.each([
  ['a string', '"105"'],
  ['a number', '105'],
])('a refresh that is rejected with a code of its profile ends the grant: %s', (_form, code) => {
  const integration = {
    tokenAnswer: { errorMember: 'error.code' },
    brokenGrantErrors: ['105'],
    clientErrors: [],
  } as unknown as About['integration']
  const about = { integration, connection: { name: 'files-1' } as About['connection'] }
  const bytes = Buffer.from(`{"error":{"code":${code}}}`).toString('base64')
  const form = { contentType: 'application/json', contentEncoding: '', isPartial: false }

  expect(() => readRefreshAnswer({ status: 400, bytes, ...form, receivedAt: 0 }, about)).toThrow(GrantRevoked)
})
