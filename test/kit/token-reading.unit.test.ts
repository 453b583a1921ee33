// A1: reading a token response must not block the event loop.
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type ReceivedAnswer, readTokenAnswer } from '../../src/kit/token-answer/token-reading.ts'

const answered = (body: Buffer, contentEncoding: string): ReceivedAnswer => ({
  bytes: body.toString('base64'),
  contentType: 'application/json',
  contentEncoding,
  isPartial: false,
})

/** As large as a decompressed response may be. */
const filledWith = (part: string) => part.repeat(Math.floor((250 * 1024) / part.length))

test.each([
  ['a form that is invalid only at the end', `${filledWith('error=&')}x y`],
  ['a form of tokens that is invalid only at the end', `${filledWith('access_token=a&')}x y`],
  ['a page full of braces', filledWith('x{x}')],
  ['a page full of objects', filledWith('x{"refresh_token":"r"}')],
])('A1: %s is unreadable', { timeout: 10_000 }, (_, text) => {
  // Takes milliseconds; quadratic parsing would take tens of seconds.
  expect(readTokenAnswer(answered(gzipSync(text), 'gzip'))).toEqual({ unreadable: 'not_json' })
})

test.each(['constructor', '__proto__', 'gzip, constructor'])('A1: a compression named %s is unknown', (name) => {
  const body = Buffer.from('{"refresh_token":"r"}')
  expect(readTokenAnswer(answered(body, name))).toEqual({ members: { refresh_token: 'r' } })
})

test.each([
  ['a list', '{"access_token":"a","refresh_token":["r"]}'],
  ['an object', '{"access_token":"a","refresh_token":{"value":"r"}}'],
  ['a number', '{"access_token":"a","refresh_token":7}'],
  ['an object without other fields', '{"token":{"value":"r"}}'],
])('A6: a refresh token that is %s counts as hidden', (_, text) => {
  expect(readTokenAnswer(answered(Buffer.from(text), ''))).toEqual({ unreadable: 'token_hidden' })
})

test.each(['null', '""', '[]', '{}', 'false'])('A6: a refresh token of %s counts as missing', (value) => {
  const body = Buffer.from(`{"access_token":"a","refresh_token":${value}}`)
  expect(readTokenAnswer(answered(body, ''))).toMatchObject({ members: { access_token: 'a' } })
})

test('A1: a form is parsed with any text before and after its token', () => {
  const body = Buffer.from('scope=a%20b&access_token=a&refresh_token=r&&odd')
  expect(readTokenAnswer(answered(body, ''))).toMatchObject({ members: { access_token: 'a', refresh_token: 'r' } })
})
