// What a token endpoint answered to a refresh: tokens, or whose fault it is that there are none.
import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import { ClientRejected, type Connection, GrantRevoked, RefreshRefused, ThirdPartyError } from '../domain/connection.ts'
import { type Integration, isAmong } from '../domain/integration.ts'
import type { ApiAnswer, TokenAnswer } from '../domain/ports.ts'

/** Ten years, in seconds. */
const longestLife = 10 * 365 * 24 * 60 * 60

const Tokens = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  // Some third parties send a number in quotes, and some what is no time at all. The answer is taken all the same: it
  // may contain the only refresh token that still works.
  expires_in: z.coerce.number().positive().max(longestLife).optional().catch(undefined),
})

type About = { integration: Integration; connection: Connection; now: Date }

export function readTokenAnswer({ status, bytes }: ApiAnswer, { integration, connection, now }: About): TokenAnswer {
  const json = parseJson(bytes.toString())
  const { within, errorMember = 'error', successMember } = integration.tokenAnswer
  // Not every third party refuses with 400 (RFC 6749, section 5.2): some answer 200 and an error.
  const said = memberAt(json, errorMember)
  const error = typeof said === 'string' ? said : undefined
  if (error !== undefined && status < 500 && isAmong(integration.brokenGrantErrors, error, status))
    throw new GrantRevoked(connection.name)
  const parsed = Tokens.safeParse(within === undefined ? json : (memberAt(json, within) ?? json))
  const hasFailed = successMember !== undefined && memberAt(json, successMember) === false
  if (status < 200 || status > 299 || hasFailed || !parsed.success) throw refusal(status, error, integration)
  const { access_token, refresh_token, expires_in } = parsed.data
  return {
    accessToken: new Secret(access_token),
    refreshToken: refresh_token === undefined ? undefined : new Secret(refresh_token),
    expiresInSeconds: expires_in ?? secondsUntil(json, integration, now) ?? 3_600,
  }
}

function refusal(status: number, error: string | undefined, { clientErrors }: Integration): ThirdPartyError {
  const message = `The token endpoint answered ${status}${errorWord(error)}.`
  if (isAmong(clientErrors, error, status) || usualClientErrors.has(error ?? '')) return new ClientRejected(message)
  return isUnexplained(status, error) ? new RefreshRefused(message) : new ThirdPartyError(message)
}

/** RFC 6749, section 5.2, and what GitHub and Slack say for the same. */
const usualClientErrors = new Set([
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
  'bad_client_secret',
])

/** RFC 6749, section 5.2: 400, or 401, with an error. Some send the status alone, or a page. */
const isUnexplained = (status: number, error: string | undefined) =>
  (status === 400 || status === 401) && error !== 'temporarily_unavailable' && error !== 'server_error'

/** A code such as invalid_client tells the owner what to fix; anything else is not passed on. */
const errorWord = (error: string | undefined) => (/^[a-z_]{3,40}$/.test(error ?? '') ? ` (${error})` : '')

/** From a time in the answer, or from what the profile says of every token. */
function secondsUntil(json: unknown, { tokenAnswer }: Integration, now: Date): number | undefined {
  const { expiresAtMember, expiresInSeconds } = tokenAnswer
  const at = expiresAtMember === undefined ? undefined : timeOf(memberAt(json, expiresAtMember))
  const seconds = at === undefined ? expiresInSeconds : (at - now.getTime()) / 1_000
  return seconds !== undefined && seconds > 0 ? Math.min(seconds, longestLife) : expiresInSeconds
}

/** ISO 8601, or seconds since 1970 as a number or in quotes. */
function timeOf(value: unknown): number | undefined {
  const seconds = typeof value === 'number' || /^\d{9,11}$/.test(String(value)) ? Number(value) : undefined
  const ms = seconds === undefined ? Date.parse(String(value)) : seconds * 1_000
  return Number.isFinite(ms) ? ms : undefined
}

/** Reads `a.b.c`. */
function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key)
      ? (at as Record<string, unknown>)[key]
      : undefined
  }, value)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
