// Links an MCP server with the flows and adapters of onboarding: discovery, client, authorization, exchange.
import { randomBytes } from 'node:crypto'
import { Secret } from '../../src/kit/crypto/secret.ts'
import type { ResolvingFetch } from '../../src/kit/fetch/guarded-fetch.ts'
import { isSoundIssuer } from '../../src/onboarding/domain/callback.ts'
import { filledFor } from '../../src/onboarding/domain/catalogue/integration-values.ts'
import { DependencyError } from '../../src/onboarding/domain/dependency-error.ts'
import type { Integration, OAuthClient } from '../../src/onboarding/domain/integration.ts'
import { type RegisteredClient, redirectUriOf } from '../../src/onboarding/domain/mcp/registered-client.ts'
import type { RegisteredClients } from '../../src/onboarding/domain/ports/mcp-servers.ts'
import type { Ports } from '../../src/onboarding/domain/ports/ports.ts'
import type { Tenants } from '../../src/onboarding/domain/ports/tenants.ts'
import { profile } from '../../src/onboarding/integrations/profile.ts'
import { mcpServers } from '../../src/onboarding/provisioning/adapters/mcp-server/mcp-servers.ts'
import { openidProvider } from '../../src/onboarding/provisioning/adapters/openid/provider.ts'
import { discoverServer } from '../../src/onboarding/provisioning/flows/discover-server.ts'

export type OwnClient = OAuthClient

const publicUrl = 'https://connect.example'
const id = 'tried'
const now = () => new Date()

type LinkRequest = { mcpUrl: string; own: OwnClient | undefined; scope: string | undefined }

/** `scope` is the requested scope, which a later link must keep. */
type LinkedToken = { token: Secret; scope: string }

/** Returns undefined for a server that requires no token. */
export async function link(
  fetch: ResolvingFetch,
  { mcpUrl, own, scope }: LinkRequest,
): Promise<LinkedToken | undefined> {
  const servers = mcpServers(fetch, { name: 'Conformance', uri: publicUrl })
  const server = await servers.discover(mcpUrl).catch(undefinedIfUnprotected)
  if (!server) return undefined
  const registered = clientsInMemory()
  const pin = own && { issuer: server.authorizationServer.issuer }
  const integration: Integration = { ...profile({ id, displayName: 'Tried', mcpUrl, ...pin }), client: own }
  const used = { mcpServers: servers, registeredClients: registered.port, tenants: withoutClients, now }
  const actor = { kind: 'operator' } as const
  const asked = { integration, tenant: 'acme', config: {}, actor, ...(scope !== undefined && { before: scope }) }
  const config = await discoverServer(used as unknown as Ports, { publicUrl }, asked)
  const client = own ?? registered.client()
  if (!client) throw new Error('there is no client')
  const ready = { integration: { ...filledFor(integration, config), client }, client, config }
  return { token: await authorize(fetch, ready), scope: config.scope ?? '' }
}

type Ready = { integration: Integration; client: OAuthClient; config: Record<string, string> }

async function authorize(guarded: ResolvingFetch, { integration, client, config }: Ready): Promise<Secret> {
  const provider = openidProvider({ fetch: guarded, now, redirectUri: (name) => redirectUriOf(publicUrl, name) })
  const [state, nonce] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const verifier = new Secret(randomBytes(32).toString('base64url'))
  const request = { integration, client, state, nonce, verifier }
  const answer = await agree(await provider.authorizationUrl({ ...request, forceConsent: false }))
  if (answer.get('state') !== state) throw new Error('the response is of another request')
  const issuer = answer.get('iss') ?? undefined
  if (!isSoundIssuer(issuer, await provider.issuerOf(integration))) throw new Error('the response is of another issuer')
  const code = new Secret(answer.get('code') ?? '')
  const { accessToken } = await provider.exchange({ ...request, code, issuer, config, keep: async () => {} })
  if (!accessToken) throw new Error('there is no access token')
  return accessToken
}

/** The runner's authorization servers redirect back immediately. */
async function agree(address: string): Promise<URLSearchParams> {
  const { headers } = await fetch(address, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '').searchParams
}

function undefinedIfUnprotected(error: unknown): undefined {
  if (error instanceof DependencyError && error.cause === 'mcp_server_unprotected') return undefined
  throw error
}

const withoutClients = { ownClient: async () => undefined } as unknown as Tenants

function clientsInMemory() {
  let known: RegisteredClient | undefined
  const port: RegisteredClients = {
    newest: async () => known,
    find: async () => known,
    async save(issuer, client) {
      const moment = now()
      known = { issuer, ...client, registeredAt: moment, workedAt: undefined, forgottenAt: undefined }
      return known
    },
    markWorking: async () => {},
    markForgotten: async () => false,
  }
  return { port, client: () => known && { ...known.client, redirectUri: known.redirectUri } }
}
