// A company's identity provider signs its user in to a function: the official client, the company's issuer as a process.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { hashOf } from '../../../src/platform/identity/domain/api-key.ts'
import { type CompanyIssuer, startCompanyIssuer } from '../../support/processes/company-issuer.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { mcpApp } from '../../support/worlds/mcp-app.ts'
import { type McpLoginWorld, mcpLoginWorld } from '../../support/worlds/mcp-login-world.ts'

const app = { clientId: 'wiki', clientSecret: 'CANARY-wiki-secret-0123456789abcdef' }
const person = 'person-1'

let world: McpLoginWorld
let company: CompanyIssuer

beforeAll(async () => {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const file = join(temporaryFolder(), 'issuers.json')
  const trusted = { issuer, jwksUri: `${issuer}/jwks`, trustedBy: [{ workspace: 'acme' }] }
  writeFileSync(file, JSON.stringify({ issuers: [trusted] }))
  world = await mcpLoginWorld({ TRUSTED_ISSUERS_FILE: file, CLIENT_DOCUMENT_EGRESS_ALLOW: `127.0.0.1:${port}` })
  company = await startCompanyIssuer({ port, audience: world.origin, clientIdThere: app.clientId })
  const { adapters } = world.platform
  await adapters.clients.add({
    clientId: app.clientId,
    name: 'Wiki',
    redirectUris: [],
    secretHash: hashOf(app.clientSecret),
  })
  await world.login({ id: person, label: 'person@company.example' })
})
afterAll(async () => {
  await company?.stop()
  await world.close()
})

async function openAs(name: string, scopes: string[] = []) {
  const idToken = await company.signIn(name)
  const authProvider = new CrossAppAccessProvider({
    ...app,
    expectedIssuer: world.origin,
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      scopes.push(scope ?? '')
      const there = { audience: authorizationServerUrl, resource: resourceUrl, ...(scope && { scope }) }
      const at = { idpUrl: company.issuer, idToken, ...company.client, fetchFn }
      return (await discoverAndRequestJwtAuthGrant({ ...at, ...there })).jwtAuthGrant
    },
  })
  const client = new Client({ name: 'wiki', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(world.mcpUrl), { authProvider }))
  return { client, authProvider }
}

test('the official client calls a tool for a person whom only the company signed in', async () => {
  const { client, authProvider } = await openAs(person)

  const called = await client.callTool({ name: 'list_files', arguments: { path: 'a', size: 1 } })

  expect(called.isError).toBe(false)
  expect(authProvider.tokens()?.refresh_token).toBeUndefined()
  await client.close()
})

test('the grant is listed with the issuer, audited, and ends when it is revoked', async () => {
  const { client, authProvider } = await openAs(person)

  const [grant] = (await world.api.get('/v0/functions/files/grants').expect(200)).body
  await world.api.delete(`/v0/functions/files/grants/${grant.id}`).expect(200)
  const events = (await world.platform.adapters.auditTrail.ofWorkspace('acme', undefined, 100)).map(
    ({ action, label, credential }) => ({ action, label, credential }),
  )

  expect(grant).toMatchObject({
    account: 'person@company.example',
    endUserId: person,
    app: { clientId: 'wiki', name: 'Wiki', redirectsTo: company.issuer },
    scopes: ['tools:read'],
  })
  expect(events).toContainEqual({
    action: 'functiongrant.created',
    label: 'person@company.example',
    credential: `assertion:${company.issuer}`,
  })
  const token = authProvider.tokens()?.access_token
  await expect.poll(async () => (await mcpApp(world, app.clientId).ask(token)).status).toBe(401)
  await client.close()
})

test('a person of the company for whom the tenant did not vouch gets no token', async () => {
  await expect(openAs('person-2')).rejects.toThrow('the person has no access to this resource')
})
