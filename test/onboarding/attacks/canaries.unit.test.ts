// The search for leaks is trusted by every other case, so it is itself put to the test.
import { describe, expect, test } from 'vitest'
import { answerTexts, leaks, platformTexts } from '../../support/oracles/canaries.ts'

const token = 'CANARY-RT-0123456789abcdef'

describe('a secret is found', () => {
  test.each([
    ['unencoded', token],
    ['in a URL', `https://a.example/?t=${encodeURIComponent(`${token}/+`)}`],
    ['in base64', Buffer.from(token).toString('base64')],
    ['in base64, offset by one byte', Buffer.from(`{${token}`).toString('base64')],
    ['in base64, offset by two bytes', Buffer.from(`{"${token}"}`).toString('base64')],
    ['in base64url', Buffer.from(`user:${token}`).toString('base64url')],
    ['in hexadecimal', Buffer.from(token).toString('hex')],
    ['in uppercase hexadecimal', Buffer.from(token).toString('hex').toUpperCase()],
  ])('%s', (_name, text) => {
    expect(leaks([], [{ place: 'log', text: `before ${text} after` }])).not.toEqual([])
  })

  test('by its value, if it has no marker', () => {
    const state = 'k3Yw/+xK0'.repeat(5)

    expect(leaks([{ name: 'state', value: state }], [{ place: 'redis', text: encodeURIComponent(state) }])).not.toEqual(
      [],
    )
  })

  test('in the headers and the body of a response', () => {
    const answer = {
      method: 'GET',
      path: '/links/lnk_1',
      status: 200,
      headers: { location: `/?${token}` },
      body: token,
    }

    expect(leaks([], answerTexts([answer]))).toEqual(
      expect.arrayContaining([
        'refresh token (raw) in answer to GET /links/…: header location',
        'refresh token (raw) in answer to GET /links/…: body',
      ]),
    )
  })
})

test('a refresh token may only appear in the secret of a connection on the platform', () => {
  const path = '/v0/integrations/connections'
  const right = { method: 'POST', path, body: { spec: { secret: { REFRESH_TOKEN: token } } } }
  const wrong = { method: 'POST', path, body: { metadata: { name: token }, spec: {} } }

  expect(leaks([], platformTexts([right]))).toEqual([])
  expect(leaks([], platformTexts([wrong]))).not.toEqual([])
})

test('a completion code may only appear in the return URL', () => {
  const code = { name: 'completion code', value: 'c0Mp/+'.repeat(8) } as const
  const location = `https://acme.example/return?completion_code=${encodeURIComponent(code.value)}`
  const answer = { method: 'GET', status: 303, body: '' }
  const right = { ...answer, path: '/oauth/callback/gmail', headers: { location } }
  const wrong = [
    { ...answer, path: '/links/lnk_1', headers: { location } },
    { ...answer, path: '/oauth/callback/gmail', headers: { refresh: location } },
    { ...answer, path: '/oauth/callback/gmail', headers: {}, body: code.value },
  ]

  expect(leaks([code], answerTexts([right]))).toEqual([])
  for (const one of wrong) expect(leaks([code], answerTexts([one]))).not.toEqual([])
  expect(leaks([code], [{ place: 'log', text: location }])).not.toEqual([])
})

test('public values are not leaks', () => {
  expect(leaks([], [{ place: 'log', text: '{"route":"/connect/:token","status":410}' }])).toEqual([])
})
