// If users type the address of their server, every server is untrusted.
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withDiscovered } from '../../../../src/contract/integrations/discovered-server.ts'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import type { GuardedFetch } from '../../../../src/kit/fetch/guarded-fetch.ts'
import type { Integration } from '../../../../src/onboarding/domain/integration.ts'
import { profile } from '../../../../src/onboarding/integrations/profile.ts'
import { maxServers } from '../../../../src/onboarding/provisioning/adapters/openid/metadata.ts'
import { openidProvider } from '../../../../src/onboarding/provisioning/adapters/openid/provider.ts'
import { borrowKeys } from '../../../support/doubles/provider/signing-keys.ts'

let keys: Awaited<ReturnType<typeof borrowKeys>>
beforeAll(async () => {
  keys = await borrowKeys()
})
afterAll(() => keys.returnKeys())

const client = { id: 'client-1', secret: undefined }
const notes = { id: 'notes', displayName: 'Notes', mcpUrl: 'https://mcp.notes.example/mcp' }

/** As it is for an account whose server named this authorization server. */
const integrationAt = (issuer: string, endpoints = issuer): Integration => {
  const found = {
    issuer,
    authorization_endpoint: `${endpoints}/authorize`,
    token_endpoint: `${endpoints}/token`,
    jwks_uri: `${endpoints}/jwks`,
    token_endpoint_auth_method: 'none',
    resource: notes.mcpUrl,
    scope: 'openid',
  }
  return { ...withDiscovered(profile(notes), found), client }
}

/** A provider whose every server answers, and what they were asked. */
function anywhere() {
  const asked: string[] = []
  const json = (body: object) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  })
  const call = async (url: string) => {
    asked.push(url)
    if (url.endsWith('/jwks')) return json({ keys: [keys.jwk] })
    const token = new SignJWT({ nonce }).setProtectedHeader({ alg: 'RS256', kid: keys.jwk.kid }).setIssuedAt()
    const about = token.setIssuer(url.replace('/token', '')).setAudience(client.id).setSubject('account-1')
    const id_token = await about.setExpirationTime('1h').sign(keys.privateKey)
    return json({ access_token: 'access', refresh_token: 'refresh', token_type: 'Bearer', id_token })
  }
  const fetch: GuardedFetch = Object.assign(call, { mayCall: () => true, close: async () => undefined })
  const provider = openidProvider({ fetch, redirectUri: () => 'https://us.example/callback', now: () => new Date() })
  return { provider, asked }
}

const nonce = 'n'.repeat(43)
const request = (integration: Integration) => ({
  ...{ integration, client, code: new Secret('code'), nonce, issuer: undefined, config: {} },
  verifier: new Secret('v'.repeat(43)),
  keep: async () => undefined,
})

test('Z3: a server that claims another server’s endpoints does not change that server’s metadata', async () => {
  const { provider } = anywhere()

  await provider.issuerOf(integrationAt('https://rude.example', 'https://honest.example'))

  const { issuer } = await provider.issuerOf(integrationAt('https://honest.example'))
  expect(issuer).toBe('https://honest.example')
})

test('Z4: evicts the keys of servers, oldest first', async () => {
  const { provider, asked } = anywhere()
  const linkAt = (server: number) => provider.exchange(request(integrationAt(`https://server-${server}.example`)))

  for (let server = 0; server <= maxServers; server++) await linkAt(server)
  await linkAt(maxServers)
  await linkAt(0)

  expect(asked.filter((url) => url.endsWith('/jwks'))).toHaveLength(maxServers + 2)
})
