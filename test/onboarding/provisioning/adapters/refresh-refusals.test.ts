// A provider's token endpoint that refuses in every way we know of, and what a refresh makes of it.
import express, { type Response } from 'express'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { type GuardedFetch, guardedFetch } from '../../../../src/kit/fetch/guarded-fetch.ts'
import { listen } from '../../../../src/kit/http/http-server.ts'
import type { RefreshRefusal } from '../../../../src/onboarding/domain/health/refresh-refusal.ts'
import type { Provider } from '../../../../src/onboarding/domain/ports/provider.ts'
import { profile } from '../../../../src/onboarding/integrations/profile.ts'
import { openidProvider } from '../../../../src/onboarding/provisioning/adapters/openid/provider.ts'
import { packAnswer, storedAnswer } from '../../../../src/onboarding/provisioning/adapters/openid/stored-answer.ts'

let answer: (res: Response) => unknown
let origin: string
let fetch: GuardedFetch
let provider: Provider
let close: () => Promise<void>

beforeAll(async () => {
  const app = express().post('/token', (_req, res) => void answer(res))
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${server.port}`
  fetch = guardedFetch({ allow: [`127.0.0.1:${server.port}`, '127.0.0.1:1'], timeoutMs: 50_000 })
  provider = providerOf(fetch)
  close = async () => {
    await fetch.close()
    await server.close(0)
  }
})
afterAll(() => close())

const providerOf = (fetch: GuardedFetch) =>
  openidProvider({ fetch, redirectUri: () => `${origin}/callback`, now: () => new Date() })

const granted = {
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"refresh_token":"CANARY-refresh-1"}'),
}
const raw = packAnswer(storedAnswer(granted, { nonce: '', issuer: undefined, receivedAt: 0, isPartial: false }))

const refresh = (token = `${origin}/token`, id = 'files', brokenGrantErrors = ['invalid_grant'], asked = provider) =>
  asked
    .refresh({
      integration: {
        ...profile({ id, displayName: 'Files', description: '', scopes: [{ name: 'files' }] }),
        endpoints: { authorization: `${origin}/authorize`, token },
        brokenGrantErrors,
        client: undefined,
      },
      client: { id: 'client', secret: new Secret('hush') },
      raw,
      keep: async () => {},
    })
    .then(
      () => 'refreshed' as const,
      (error) => error,
    )

const page = '<!doctype html><title>CANARY-refresh-1</title>'
const html = (status: number) => (res: Response) => res.status(status).type('html').send(page)
const text = (body: string) => (res: Response) => res.type('html').send(body)
const json = (status: number, body: object) => (res: Response) => res.status(status).json(body)

const cases: Array<[string, RefreshRefusal, string, (res: Response) => unknown]> = [
  ['invalid_grant', 'grant_rejected', 'grant_revoked', json(400, { error: 'invalid_grant' })],
  ['invalid_grant with 401', 'grant_rejected', 'grant_revoked', json(401, { error: 'invalid_grant' })],
  ['invalid_grant with 403', 'grant_rejected', 'grant_revoked', json(403, { error: 'invalid_grant' })],
  ['200 with an error', 'grant_rejected', 'grant_revoked', json(200, { error: 'bad_refresh_token' })],
  ['invalid_request', 'request_rejected', 'profile_mismatch', json(400, { error: 'invalid_request' })],
  ['200 with invalid_request', 'request_rejected', 'profile_mismatch', json(200, { error: 'invalid_request' })],
  ['invalid_client', 'client_rejected', 'client_rejected', json(401, { error: 'invalid_client' })],
  [
    '401 that challenges the client',
    'client_rejected',
    'client_rejected',
    (res) => res.status(401).set('WWW-Authenticate', 'Basic realm="t"').end(),
  ],
  ['an empty 400', 'unexplained', 'refresh_refused', (res) => res.status(400).end()],
  ['400 with a page', 'unexplained', 'refresh_refused', html(400)],
  ['400 with other JSON', 'unexplained', 'refresh_refused', json(400, { message: 'no' })],
  ['an empty 401', 'unexplained', 'refresh_refused', (res) => res.status(401).end()],
  ['401 with a page', 'unexplained', 'refresh_refused', html(401)],
  ['401 with other JSON', 'unexplained', 'refresh_refused', json(401, { code: 'UNAUTHENTICATED' })],
  [
    '401 that challenges the token',
    'unexplained',
    'refresh_refused',
    (res) => res.status(401).set('WWW-Authenticate', 'Bearer error="invalid_token"').end(),
  ],
  ['403 with a page', 'forbidden', 'refresh_refused', html(403)],
  ['404', 'not_found', 'refresh_refused', html(404)],
  ['a redirect', 'redirected', 'refresh_refused', (res) => res.redirect(302, '/elsewhere')],
  ['429', 'throttled', 'provider_unavailable', html(429)],
  ['500', 'server_error', 'provider_unavailable', html(500)],
  ['503 with an error', 'server_error', 'provider_unavailable', json(503, { error: 'invalid_grant' })],
  ['a connection that is cut', 'unanswered', 'exchange_unknown', (res) => res.destroy()],
  ['200 with a page', 'unreadable_success', 'answer_malformed', html(200)],
  ['200 with a page about tokens', 'unreadable_success', 'answer_unreadable', text('<html>token: CANARY</html>')],
  ['200 with text', 'unreadable_success', 'answer_unreadable', text('CANARY')],
  ['200 without a token', 'unreadable_success', 'answer_malformed', json(200, { ok: true })],
]

test.each(cases)('O1: %s is %s (%s)', async (_, refusal, cause, answers) => {
  answer = answers

  const error = await refresh()

  expect(error).toMatchObject({ refusal, cause })
  expect(`${error} ${error.detail}`).not.toContain('CANARY')
})

test('O1: no response is unanswered (exchange_unknown)', async () => {
  answer = () => {}
  const impatient = guardedFetch({ allow: [new URL(origin).host], timeoutMs: 300 })
  onTestFinished(impatient.close)

  const error = await refresh(undefined, 'files', undefined, providerOf(impatient))

  expect(error).toMatchObject({ refusal: 'unanswered', cause: 'exchange_unknown' })
})

test('O1: invalid_request means a revoked grant if the profile lists it', async () => {
  answer = json(400, { error: 'invalid_request' })

  expect(await refresh(undefined, 'files', ['invalid_request'])).toMatchObject({ cause: 'grant_revoked' })
})

test('a blocked refresh URL is the operator’s to allow and is not retried', async () => {
  const error = await refresh('http://10.0.0.1/token', 'inner')

  expect(error).toMatchObject({ refusal: 'blocked', cause: 'address_blocked', retry: undefined })
})

test('a blocked revocation URL is not called, in any style', async () => {
  const revoke = (style: 'rfc7009' | 'bearer') =>
    provider.revoke(
      {
        integration: {
          ...profile({ id: `inner-${style}`, displayName: 'Files', description: '', scopes: [{ name: 'files' }] }),
          endpoints: { authorization: `${origin}/authorize`, token: `${origin}/token` },
          revocation: { style, url: 'http://10.0.0.1/revoke', reach: 'grant', extra: {}, headers: {} },
          client: undefined,
        },
        client: { id: 'client', secret: new Secret('hush') },
      },
      packAnswer(
        storedAnswer(
          {
            headers: { 'content-type': 'application/json' },
            body: Buffer.from('{"access_token":"CANARY-access-1","refresh_token":"CANARY-refresh-1"}'),
          },
          { nonce: '', issuer: undefined, receivedAt: 0, isPartial: false },
        ),
      ),
    )

  expect([await revoke('rfc7009'), await revoke('bearer')]).toEqual(['blocked', 'blocked'])
})

test('O1: a provider that refuses connections is unreachable', async () => {
  expect(await refresh('http://127.0.0.1:1/token', 'away')).toMatchObject({
    refusal: 'unreachable',
    cause: 'provider_unavailable',
  })
})
