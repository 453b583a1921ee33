// RFC 7591: dynamic client registration.
import { z } from 'zod'
import { Secret } from '../../../../kit/crypto/secret.ts'
import type { Answer, GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { ClientAuthentication } from '../../../domain/integration.ts'
import { type AuthorizationServer, authenticationToRegister } from '../../../domain/mcp/mcp-server.ts'
import { type ClientWords, clientMetadata, type NewClient } from '../../../domain/mcp/registered-client.ts'
import type { ClientRegistration } from '../../../domain/ports/mcp-servers.ts'
import { unreachable } from './metadata-document.ts'

/** Printable ASCII, because IDs and secrets go into headers and forms. */
const Printable = (max: number) => z.string().regex(new RegExp(`^[\\x20-\\x7e]{1,${max}}$`))

const Registered = z.looseObject({
  client_id: Printable(500),
  client_secret: Printable(2_000).optional(),
  client_secret_expires_at: z.number().min(0).optional(),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']).optional(),
  redirect_uris: z.array(z.string()).optional(),
})

const json = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'causeway',
}

export async function registerClient(
  fetch: GuardedFetch,
  words: ClientWords,
  at: AuthorizationServer,
  { redirectUri, scope }: ClientRegistration,
): Promise<NewClient> {
  if (at.registrationEndpoint === undefined) throw refused('no registration endpoint')
  const method = authenticationToRegister(at)
  const body = JSON.stringify({ ...clientMetadata(words, redirectUri, method), ...(scope !== '' && { scope }) })
  const answer = await fetch(at.registrationEndpoint, { method: 'POST', headers: json, body }).catch((error) =>
    Promise.reject(unreachable(error, 'registration')),
  )
  if (answer.status === 429 || answer.status >= 500)
    throw new DependencyError('provider_unavailable', { retry: {}, detail: `registration: ${answer.status}` })
  if (answer.status !== 200 && answer.status !== 201)
    throw refused(`registration: ${answer.status}${errorWord(answer)}`)
  return { ...readRegistered(answer, redirectUri, method), redirectUri, scope }
}

const refused = (detail: string) => new DependencyError('client_registration_refused', { detail })

function readRegistered(answer: Answer, redirectUri: string, asked: ClientAuthentication) {
  const { data } = Registered.safeParse(parsed(answer))
  if (!data) throw refused('registration: the response cannot be read')
  // RFC 7591 §3.2.1: the server may register other values than requested.
  if (data.redirect_uris && !data.redirect_uris.includes(redirectUri)) throw refused('registration: redirect_uris')
  const { client_secret: secret, client_secret_expires_at: until = 0 } = data
  const method = secret === undefined ? 'none' : (data.token_endpoint_auth_method ?? asked)
  return {
    client: { id: data.client_id, secret: secret === undefined ? undefined : new Secret(secret) },
    by: 'registration' as const,
    clientAuthentication: method,
    // Zero, or a time beyond the calendar, means no expiry.
    expiresAt: until > 0 && until < 8e12 ? new Date(until * 1_000) : undefined,
  }
}

const ErrorBody = z.looseObject({ error: z.string() })

function errorWord(answer: Answer): string {
  const error = ErrorBody.safeParse(parsed(answer)).data?.error ?? ''
  return /^[a-z_]{3,40}$/.test(error) ? ` (${error})` : ''
}

function parsed({ body }: Answer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
