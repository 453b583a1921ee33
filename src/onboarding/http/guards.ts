import type { Request, RequestHandler, Response } from 'express'
import { Secret } from '../../kit/crypto/secret.ts'
import { requestIdOf } from '../../kit/http/request-id.ts'
import { logsWhoAsked } from '../../kit/http/request-log.ts'
import { visitor } from '../../kit/http/visitor.ts'
import type { KeyPurpose } from '../domain/api-key.ts'
import type { Actor } from '../domain/audit/audit.ts'
import { Failure } from '../domain/failure.ts'
import type { RateLimits } from '../domain/ports/shared.ts'
import type { ApiKeys } from '../domain/ports/tenants.ts'
import type { Rates } from '../domain/rate-limit.ts'
import type { Caller } from '../domain/tenant.ts'
import { limitRate } from '../flows/limit-rate.ts'

/** Rejects forms of other sites. */
export const sameOriginOnly =
  ({ publicUrl, note }: { publicUrl: string; note(req: Request, res: Response): Promise<void> }): RequestHandler =>
  async (req, res, next) => {
    if (!isFromOurPages(req, publicUrl)) {
      await note(req, res)
      throw new Failure('origin_foreign', 'This request was not sent from our page.')
    }
    next()
  }

export function isFromOurPages(req: Request, publicUrl: string): boolean {
  // With `Referrer-Policy: no-referrer` browsers send `Origin: null` with our own forms (Fetch standard, "append a
  // request Origin header"), so `Origin` counts only without `Sec-Fetch-Site`.
  const site = req.get('sec-fetch-site')
  return site === undefined ? req.get('origin') === new URL(publicUrl).origin : site === 'same-origin'
}

/** Rejects prefetches and embedded loads. Browsers without fetch metadata are accepted. */
export function isNavigation(req: Request): boolean {
  const { 'sec-fetch-dest': destination = 'document', 'sec-purpose': purpose, purpose: oldPurpose } = req.headers
  return destination === 'document' && !/prefetch|prerender/.test(`${purpose} ${oldPurpose}`)
}

const assertMethod = (method: 'GET' | 'POST') => (req: Request, res: Response) => {
  if (req.method === method) return
  res.set('Allow', method)
  throw new Failure('method_not_allowed', `This endpoint takes ${method}.`)
}

/** Express would answer HEAD like GET. */
export const assertGet = assertMethod('GET')

export const assertPost = assertMethod('POST')

/** A key for settings opens nothing else, and no other key changes settings. */
export function assertPurpose({ purpose }: Caller, needed: KeyPurpose | undefined): void {
  if (purpose === needed) return
  const [theirs, ours] = [purpose ?? 'the API', needed ?? 'the API']
  throw new Failure('key_purpose', `This key is for ${theirs}, and the request needs one for ${ours}.`)
}

type Limits = { ports: { rates: RateLimits }; rates: Rates }

/** `areKeysMixed`: the routes behind it check the purpose of the key. */
type KeyLimits = Limits & { apiKeys: Pick<ApiKeys, 'caller'>; areKeysMixed?: boolean }

/** Cookies never open the API. Limits both wrong keys and requests per key. */
export const apiKeyOnly =
  ({ apiKeys, ports, rates, areKeysMixed = false }: KeyLimits): RequestHandler =>
  async (req, res, next) => {
    const sent = req.get('authorization') ?? ''
    // Scheme names are case-insensitive (RFC 9110 §11.1).
    const [, key] = /^[Bb][Ee][Aa][Rr][Ee][Rr] +(cwk_(?:test_)?[A-Za-z0-9_-]{43})$/.exec(sent) ?? []
    const caller = key && (await apiKeys.caller(new Secret(key)))
    if (!caller) {
      await limitRate(ports, rates.failedKey, visitor(req.ip))
      throw new Failure('credential_invalid', refusedKey(sent))
    }
    if (!areKeysMixed) assertPurpose(caller, undefined)
    res.locals.caller = caller
    if (caller.testMode) res.set('Test-Mode', 'true')
    logsWhoAsked(res, { tenant: caller.tenant, key: caller.keyId })
    await (caller.tenant === undefined
      ? limitRate(ports, rates.apiOfDeployment, caller.keyId)
      : limitRate(ports, rates.api, caller.tenant))
    next()
  }

/** Wrong, revoked, expired and malformed keys get the same words. */
function refusedKey(sent: string): string {
  if (sent === '') return 'The request has no API key. Send it as "Authorization: Bearer cwk_…".'
  if (!/^bearer( |$)/i.test(sent)) return 'Send the API key with the scheme Bearer: "Authorization: Bearer cwk_…".'
  return 'The API key is not valid. Check that it is complete, not revoked, and from this server.'
}

export const limitVisitors =
  ({ ports, rates }: Limits, rule: 'browser' | 'reading' = 'browser'): RequestHandler =>
  async (req, _res, next) => {
    await limitRate(ports, rates[rule], visitor(req.ip))
    next()
  }

export const callerOf = (res: Response): Caller => res.locals.caller

export const jsonOnly: RequestHandler = (req, _res, next) => {
  const hasBody =
    req.headers['content-length'] !== '0' && (req.headers['content-length'] ?? req.headers['transfer-encoding'])
  if (hasBody && !req.is('application/json')) {
    throw new Failure('content_type_unsupported', 'Send the body as application/json.')
  }
  next()
}

export const browserActor = (req: Request, res: Response): Actor => ({
  kind: 'browser',
  requestId: requestIdOf(res),
  address: req.ip,
})

export const apiActor = (req: Request, res: Response): Actor => ({
  kind: 'api_key',
  id: callerOf(res).keyId,
  requestId: requestIdOf(res),
  address: req.ip,
})
