import { expect, test } from 'vitest'
import { type Causeway, createCauseway, type List, type ListOperation } from '../../../packages/client/src/client.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'

const document = JSON.parse(JSON.stringify(openApiDocument(describedApi('https://connect.example.com'))))

/** Operations that have no method of their own; `send` reaches them. */
const leftOut: string[] = []

test('every operation of the document has a method, or is left out on purpose', async () => {
  const called: string[] = []
  const causeway = createCauseway({
    url: 'https://connect.example.com',
    apiKey: 'cwk_test',
    fetch: async (address, init) => {
      called.push(`${init?.method} ${new URL(String(address)).pathname.replace('/api/v1', '')}`)
      return Response.json({ id: 'an', data: [], status: 'done', connection: {}, connectionId: 'a' })
    },
  })
  for (const call of everyMethod(causeway)) await call

  const operations = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([, { operationId }]) => !leftOut.includes(operationId))
        .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`),
  )
  expect([...new Set(called)].sort()).toEqual(operations.sort())
})

function everyMethod({ tenants, integrations, connectSessions, links, connections, ...rest }: Causeway) {
  const { imports, erasures, campaigns, webhooks, events, audit, manageSessions } = rest
  const why = { reason: 'r' }
  const tenant = { workspace: 'w', displayName: 'T', returnUrls: [] }
  const session = { tenantId: 'x', integrationId: 'x', endUser: { id: 'u' }, returnUrl: 'r', completionChallenge: 'c' }
  const all = <Op extends ListOperation>(list: List<Op>) => list.toArray()
  return [
    all(tenants.list()),
    tenants.create(tenant),
    tenants.get('x'),
    tenants.put('x', tenant),
    tenants.update('x', { displayName: 'T' }),
    tenants.suspend('x'),
    tenants.reactivate('x'),
    tenants.putLogo('x', 'x' as 'light', { image: 'aa' }),
    tenants.deleteLogo('x', 'x' as 'light'),
    all(tenants.export('x')),
    tenants.delete('x'),
    tenants.getDeletion('x'),
    tenants.rotateSigningSecret('x'),
    all(integrations.list()),
    all(integrations.listClients('x')),
    integrations.putClient('x', 'x', { clientId: 'c' }),
    integrations.deleteClient('x', 'x'),
    connectSessions.create(session),
    connectSessions.get('x'),
    connectSessions.cancel('x'),
    connectSessions.complete('x', { completionCode: 'c', completionVerifier: 'v' }),
    imports.create({ tenantId: 'x' }),
    all(imports.list()),
    imports.get('x'),
    imports.addRows('x', { rows: [{ key: 'k', integrationId: 'x', endUser: { id: 'u' }, refreshToken: 't' }] }),
    all(imports.listRows('x')),
    imports.cancel('x'),
    erasures.create({ tenantId: 'x', endUser: { id: 'u' } }),
    all(erasures.list()),
    erasures.get('x'),
    manageSessions.create({ tenantId: 'x', endUser: { id: 'u' } }),
    manageSessions.get('x'),
    manageSessions.revoke('x'),
    all(links.list()),
    links.get('x'),
    links.resume('x'),
    links.resumeByCause({ causeCode: 'platform_refused', ...why }),
    all(connections.list()),
    connections.get('x'),
    connections.createRelinkSession('x', why),
    connections.checkHealth('x', why),
    connections.getHealth('x'),
    connections.verify('x', why),
    connections.rollback('x', why),
    connections.disconnect('x', why),
    connections.getTask('x', 'x'),
    connections.createFunctionLogin('x'),
    all(connections.listFunctionGrants('x')),
    connections.revokeFunctionGrant('x', 'x'),
    connections.getToolList('x'),
    connections.approveToolList('x', { hash: '0'.repeat(64) }),
    campaigns.create({ causeCode: 'grant_revoked', ...why }),
    all(campaigns.list()),
    campaigns.get('x'),
    all(campaigns.listMembers('x')),
    campaigns.cancel('x', why),
    webhooks.create('x', { url: 'u' }),
    all(webhooks.list('x')),
    all(events.list('x')),
    events.trigger('x', { type: 'link.failed' }),
    webhooks.delete('x', 'x'),
    webhooks.rotateSecret('x', 'x'),
    webhooks.enable('x', 'x'),
    webhooks.disable('x', 'x'),
    all(webhooks.listDeliveries('x')),
    webhooks.replayDelivery('x', 'x'),
    all(audit.list()),
  ]
}
