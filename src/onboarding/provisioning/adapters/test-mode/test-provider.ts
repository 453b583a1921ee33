// The token endpoint is answered in this process, through the same OAuth client as any provider.
import { createHash } from 'node:crypto'
import type { Answer, GuardedRequest, ResolvingFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import type { Clock, Pause } from '../../../domain/ports/shared.ts'
import type { TestProvider } from '../../../domain/ports/test-mode.ts'
import {
  isGrantAlive,
  slowMs,
  type TestGrant,
  type TestOutcome,
  testAccount,
} from '../../../domain/test-mode/test-mode.ts'
import type { SignedTokens, TestToken } from './signed-tokens.ts'

type Needs = { base: string; tokens: SignedTokens; now: Clock; pause: Pause }

/** RFC 6749 §4.1.2: a code is valid for at most ten minutes. */
const codeMs = 10 * 60 * 1_000

export const testProvider = ({ tokens }: Pick<Needs, 'tokens'>): TestProvider => ({
  codeFor: (grant, authorization) => tokens.write({ use: 'code', ...grant, ...authorization }),
})

export function withTestProvider(fetch: ResolvingFetch, needs: Needs): ResolvingFetch {
  const isOwn = (url: string) => url.startsWith(`${needs.base}/`)
  const call = (url: string, request: GuardedRequest = {}) =>
    isOwn(url) ? answer(needs, url.slice(needs.base.length), request) : fetch(url, request)
  return Object.assign(call, {
    mayCall: (url: string) => isOwn(url) || fetch.mayCall(url),
    maySend: async (url: string) => isOwn(url) || fetch.maySend(url),
    close: fetch.close,
  })
}

async function answer(needs: Needs, path: string, { body = '' }: GuardedRequest): Promise<Answer> {
  // RFC 7009 §2.2: an invalid token gets the same response.
  if (path === '/revoke') return json(200, {})
  if (path !== '/token') return json(404, { error: 'not_found' })
  const form = new URLSearchParams(body)
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchange(needs, form)
    case 'refresh_token':
      return refresh(needs, form)
    default:
      return json(400, { error: 'unsupported_grant_type' })
  }
}

async function exchange({ tokens, now, pause }: Needs, form: URLSearchParams): Promise<Answer> {
  const code = tokens.read(form.get('code') ?? '')
  if (code?.use !== 'code' || !fits(code, form) || now().getTime() > code.grantedAt + codeMs) return invalidGrant()
  if (code.outcome === 'slow') await pause(slowMs)
  const { outcome, scopes, grantedAt } = code
  const grant = { outcome, scopes, grantedAt }
  return json(200, {
    ...accessTo(tokens, grant),
    ...(outcome !== 'no_refresh_token' && { refresh_token: tokens.write({ use: 'refresh', ...grant }) }),
    ...testAccount(grant),
  })
}

/** RFC 7636 §4.6 and RFC 6749 §4.1.3. */
const fits = ({ challenge, redirectUri }: Extract<TestToken, { use: 'code' }>, form: URLSearchParams): boolean =>
  createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url') === challenge && form.get('redirect_uri') === redirectUri

/** Fixed refresh tokens for testing imports, without scopes. A suffix makes the tokens of an import unique. */
const writtenDown = /^test_(approved|other_account)(?:_|$)/

async function refresh({ tokens, now }: Needs, form: URLSearchParams): Promise<Answer> {
  const [, outcome] = writtenDown.exec(form.get('refresh_token') ?? '') ?? []
  if (outcome) {
    const grant = { outcome: outcome as TestOutcome, scopes: [], grantedAt: now().getTime() }
    const { scope: _, ...access } = accessTo(tokens, grant)
    return json(200, { ...access, ...testAccount(grant) })
  }
  const token = tokens.read(form.get('refresh_token') ?? '')
  if (token?.use !== 'refresh' || !isGrantAlive(token, now())) return invalidGrant()
  const { use: _, ...grant } = token
  return json(200, accessTo(tokens, grant))
}

const accessTo = (tokens: SignedTokens, grant: TestGrant) => ({
  access_token: tokens.write({ use: 'access', ...grant }),
  token_type: 'Bearer',
  expires_in: 3_600,
  scope: grant.scopes.join(' '),
})

const invalidGrant = () => json(400, { error: 'invalid_grant' })

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
})
