// A1: what reading a token answer may cost. Every reading is done on the thread that serves everybody.
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type ReceivedAnswer, readTokenAnswer } from '../../src/kit/token-answer/token-reading.ts'

const answered = (body: Buffer, contentEncoding: string): ReceivedAnswer => ({
  bytes: body.toString('base64'),
  contentType: 'application/json',
  contentEncoding,
  isPartial: false,
})

/** As much as a small answer may unfold to. */
const filledWith = (part: string) => part.repeat(Math.floor((250 * 1024) / part.length))

test.each([
  ['a form that is none at its very end', `${filledWith('error=&')}x y`],
  ['a form of tokens that is none at its very end', `${filledWith('access_token=a&')}x y`],
  ['a page full of braces', filledWith('x{x}')],
  ['a page full of objects', filledWith('x{"refresh_token":"r"}')],
])('A1: %s is put aside', { timeout: 10_000 }, (_, text) => {
  // It takes some milliseconds; what tries every place against every other takes tens of seconds.
  expect(readTokenAnswer(answered(gzipSync(text), 'gzip'))).toEqual({ unreadable: 'not_json' })
})

test.each(['constructor', '__proto__', 'gzip, constructor'])(
  'A1: a compression that is called %s is one that nobody knows',
  (name) => {
    const body = Buffer.from('{"refresh_token":"r"}')
    expect(readTokenAnswer(answered(body, name))).toEqual({ members: { refresh_token: 'r' } })
  },
)

test.each([
  ['a list', '{"access_token":"a","refresh_token":["r"]}'],
  ['an object', '{"access_token":"a","refresh_token":{"value":"r"}}'],
  ['a number', '{"access_token":"a","refresh_token":7}'],
  ['an object, with nothing else beside it', '{"token":{"value":"r"}}'],
])('A6: a refresh token that is %s is not taken for none', (_, text) => {
  expect(readTokenAnswer(answered(Buffer.from(text), ''))).toEqual({ unreadable: 'token_hidden' })
})

test.each(['null', '""', '[]', '{}', 'false'])('A6: a refresh token that is %s is none', (value) => {
  const body = Buffer.from(`{"access_token":"a","refresh_token":${value}}`)
  expect(readTokenAnswer(answered(body, ''))).toMatchObject({ members: { access_token: 'a' } })
})

test('A1: a form is still read, whatever stands before and after its token', () => {
  const body = Buffer.from('scope=a%20b&access_token=a&refresh_token=r&&odd')
  expect(readTokenAnswer(answered(body, ''))).toMatchObject({ members: { access_token: 'a', refresh_token: 'r' } })
})
