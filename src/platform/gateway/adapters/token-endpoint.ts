// Where a grant is refreshed: as the profile says, or as the issuer's metadata does (OpenID Connect Discovery 1.0,
// RFC 8414), which is asked for once an hour.
import { z } from 'zod'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { ThirdPartyError } from '../domain/connection.ts'
import type { Integration } from '../domain/integration.ts'
import type { ApiAnswer } from '../domain/ports.ts'

const Metadata = z.object({ issuer: z.string(), token_endpoint: z.url({ protocol: /^https?$/ }) })

export function tokenEndpoints(get: (url: URL) => Promise<ApiAnswer>) {
  const discovered = ttlCache((issuer) => discover(issuer, get), { ttlMs: 60 * 60 * 1_000, capacity: 1_000 })
  return async ({ refresh, endpoints, issuer }: Integration): Promise<URL> =>
    new URL(refresh.url ?? endpoints?.token ?? (await discovered.get(issuer ?? unknown())))
}

/** Of an MCP server the endpoint is discovered when it is linked; a connection that was made otherwise lacks it. */
function unknown(): never {
  throw new ThirdPartyError('The connection does not say where its grant is refreshed; link the account again.')
}

async function discover(issuer: string, get: (url: URL) => Promise<ApiAnswer>): Promise<string> {
  const { bytes } = await get(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`))
  const { data } = Metadata.safeParse(parseJson(bytes.toString()))
  // Letter for letter (OpenID Connect Discovery, section 4.3), and never over a weaker wire than it was asked by.
  const isSafe = data?.issuer === issuer && (data.token_endpoint.startsWith('https:') || issuer.startsWith('http:'))
  if (!isSafe) throw new ThirdPartyError(`The metadata of ${new URL(issuer).host} cannot be used.`)
  return data.token_endpoint
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
