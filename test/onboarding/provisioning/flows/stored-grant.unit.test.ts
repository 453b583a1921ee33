// An MCP server that names another authorization server at a re-link does not get what the one before granted.
import { beforeEach, expect, test } from 'vitest'
import { forgetOld } from '../../../../src/onboarding/connections/flows/forget-old.ts'
import { rollback } from '../../../../src/onboarding/connections/flows/rollback.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import type { Config } from '../../../../src/onboarding/domain/link.ts'
import { discoverServer } from '../../../../src/onboarding/provisioning/flows/discover-server.ts'
import { authorizationServer, notesIssuer } from '../../../support/memory/mcp-servers.ts'
import { byBrowser, bySupport, type MemoryWorld, notes, openMemoryWorld } from '../../../support/memory/world.ts'

const otherIssuer = 'https://evil.example'
const day = 24 * 60 * 60

let world: MemoryWorld
let revokedAt: Array<string | undefined>
beforeEach(async () => {
  world = await openMemoryWorld({ others: [{ ...notes, revocation: { reach: 'token' } }] })
  const { register } = world.mcpServers
  world.mcpServers.register = async (...args) => ({
    ...(await register(...args)),
    client: { id: clientId, secret: undefined },
  })
  revokedAt = []
  world.provider.revoke = async ({ integration }) => {
    revokedAt.push(integration.endpoints?.token)
    return 'revoked'
  }
})

const clientId = 'same-everywhere'

/** By a client that has the same ID at every server. */
const discovered = (issuer: string): Promise<Config> => {
  const tokenEndpoint = `${issuer}/token`
  world.mcpServers.says({ authorizationServer: authorizationServer({ issuer, tokenEndpoint }) })
  const integration = world.integrations.find('notes')!
  const asked = { integration, tenant: 'acme', config: {}, actor: byBrowser }
  return discoverServer(world, { publicUrl: 'https://connect.example' }, asked)
}
/** A connection that was linked at one authorization server and then at another. */
async function linkedTwice(issuer: string): Promise<Connection> {
  const first = await world.addConnection(
    { integration: 'notes' },
    { config: await discovered(notesIssuer) },
    { clientId },
  )
  const session = await world.addSession({ integration: 'notes', connectionId: first.id })
  const names = { connectionId: first.id, connectionName: first.name, functionName: first.functionName }
  const link = await world.escrow(await world.openLink(session, names), 'second grant')
  await world.finish(link, { config: await discovered(issuer) }, { clientId, previousSeconds: day })
  return world.found(first.id)
}

test.each([notesIssuer, otherIssuer])(
  'a grant is revoked at its issuer, also after a re-link at %s',
  async (issuer) => {
    const { config } = await linkedTwice(issuer)
    world.clock.pass(day + 1)

    await forgetOld(world)

    expect(config.issuer).toBe(issuer)
    expect(revokedAt).toEqual([`${notesIssuer}/token`])
  },
)

test('cannot roll back to a grant of another authorization server', async () => {
  const { id } = await linkedTwice(otherIssuer)

  const refused = await rollback(world, world.settings, { connectionId: id, actor: bySupport, reason: 'r' }).catch(
    (e) => e,
  )

  expect(refused).toMatchObject({ code: 'rollback_impossible' })
  expect(refused.detail).toContain('different authorization server')
  expect(world.provider.calls).toEqual([])
})

test('rolls back to a grant of the same authorization server', async () => {
  const { id } = await linkedTwice(notesIssuer)

  const { done } = await rollback(world, world.settings, { connectionId: id, actor: bySupport, reason: 'r' })

  expect((await done).step).toBe('done')
})
