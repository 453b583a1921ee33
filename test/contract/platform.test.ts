// Tests what the onboarding program needs from a platform, through its own client. CONTRACT_PLATFORM_URL (with /v0),
// _KEY and _WORKSPACE, and optionally _BRAND, _INTEGRATION and _TOOL, select another platform.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IntegrationConnection } from '../../src/contract/control-plane/integration-connection.ts'
import { McpFunction } from '../../src/contract/control-plane/workloads.ts'
import { Secret } from '../../src/kit/crypto/secret.ts'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { listen } from '../../src/kit/http/http-server.ts'
import { judgeTry } from '../../src/onboarding/domain/health/health.ts'
import type { Platform, PlatformGrant, Provisioning } from '../../src/onboarding/domain/ports/platform.ts'
import { platformClient } from '../../src/onboarding/provisioning/adapters/platform/platform.ts'
import { type PlatformHttp, platformHttp } from '../../src/onboarding/provisioning/adapters/platform/platform-http.ts'
import { platformProbe } from '../../src/onboarding/provisioning/adapters/platform/platform-probe.ts'
import { startThirdParty } from '../support/doubles/third-party.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

type Target = {
  baseUrl: string
  key: string
  workspace: string
  brand: string
  integration: string
  /** One of its tools that needs no arguments. */
  tool: string
  close(): Promise<void>
}

const env = process.env
const targets: Array<[string, () => Promise<Target>]> = [
  ['our platform', ourPlatform],
  ...(env.CONTRACT_PLATFORM_URL
    ? [['the platform that was named', namedPlatform] as [string, () => Promise<Target>]]
    : []),
]

describe.each(targets)('%s', (_, open) => {
  let target: Target
  let http: PlatformHttp
  let platform: Platform

  beforeAll(async () => {
    target = await open()
    const address = { baseUrl: target.baseUrl, apiKey: new Secret(target.key), brand: target.brand }
    http = platformHttp(address)
    platform = platformClient(http, address, { nameOf: (id) => id })
  })

  afterAll(async () => {
    await http.close()
    await target.close()
  })

  const grant = {
    client: { id: 'client', secret: new Secret('hush') },
    refreshToken: new Secret('refresh-1'),
  } as PlatformGrant
  const link = (): Provisioning => {
    const id = randomUUID().slice(0, 8)
    const names = { connectionName: `contract-${id}`, functionName: `contract-${id}` }
    return {
      workspace: target.workspace,
      integration: target.integration,
      connectionId: `connection-${id}`,
      ...names,
    } as Provisioning
  }
  const send = (method: 'GET' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    http.send(method, path, target.workspace, body)

  test('O4: our key can read the platform’s lists, and a wrong key differs from a URL without /v0', async () => {
    const seen = await platformProbe(http).look()
    const wrong = async (change: { apiKey?: Secret; baseUrl?: string }) => {
      const address = { baseUrl: target.baseUrl, apiKey: new Secret(target.key), brand: target.brand, ...change }
      const client = platformHttp(address)
      const { problem } = await platformProbe(client).look()
      await client.close()
      return problem
    }

    expect(seen.problem).toBeUndefined()
    expect(seen.workspaces ?? [target.workspace]).toContain(target.workspace)
    expect(seen.integrations ?? [target.integration]).toContain(target.integration)
    expect(await wrong({ apiKey: new Secret('not-a-key') })).toMatchObject({
      cause: 'platform_misconfigured',
      detail: '401: PLATFORM_API_KEY is not accepted',
    })
    expect(await wrong({ baseUrl: new URL('/', target.baseUrl).origin })).toMatchObject({
      cause: 'platform_misconfigured',
      detail: expect.stringMatching(/^404: no platform answers at PLATFORM_URL, which has to end with .*\/v0/),
    })
  })

  test('a connection and a function are created, and an MCP client can talk to the function', async () => {
    const at = link()

    await platform.createConnection(at, grant)
    const { url } = await platform.createFunction(at)
    const { tools } = await platform.verifyFunction({ ...at, functionUrl: url })

    expect(url).toContain(`/${target.workspace}/functions/${at.functionName}`)
    expect(tools.length).toBeGreaterThan(0)
  })

  test('a retry finds the resources of the first attempt', async () => {
    const at = link()
    await platform.createConnection(at, grant)
    const first = await platform.createFunction(at)

    await platform.createConnection(at, grant)
    const second = await platform.createFunction(at)

    expect(second).toEqual(first)
  })

  test('a used name is rejected, and its resource is not changed', async () => {
    const at = link()
    await platform.createConnection(at, grant)

    const refused = platform.createConnection({ ...at, connectionId: 'somebody-else' } as Provisioning, grant)

    await expect(refused).rejects.toMatchObject({ cause: 'name_taken' })
  })

  test('resources are returned with labels and masked secrets, and match the contract', async () => {
    const at = link()
    await platform.createConnection(at, grant)
    await platform.createFunction(at)

    const connection = await send('GET', `/integrations/connections/${at.connectionName}`)
    const mcpFunction = await send('GET', `/functions/${at.functionName}`)

    const read = IntegrationConnection.parse(connection.body)
    expect(Object.values(read.metadata.labels)).toContain(at.connectionId)
    expect(JSON.stringify(read)).not.toMatch(/hush|refresh-1/)
    expect(McpFunction.parse(mcpFunction.body).spec.integrationConnections).toEqual([at.connectionName])
  })

  test('secrets are replaced by PUT, and a connection in use is not deleted', async () => {
    const at = link()
    await platform.createConnection(at, grant)
    await platform.createFunction(at)
    const { body } = await send('GET', `/integrations/connections/${at.connectionName}`)

    const replaced = await send('PUT', `/integrations/connections/${at.connectionName}`, body)
    const inUse = await send('DELETE', `/integrations/connections/${at.connectionName}`)
    const gone = await send('DELETE', `/functions/${at.functionName}`)
    const free = await send('DELETE', `/integrations/connections/${at.connectionName}`)

    expect([replaced.status, inUse.status, gone.status, free.status]).toEqual([200, 409, 200, 200])
  })

  test('a function can change its connection, and both can be deleted in order', async () => {
    const [at, second] = [link(), `${link().connectionName}-2`]
    await platform.createConnection(at, grant)
    const { url } = await platform.createFunction(at)
    const renamed = { ...at, connectionName: second } as Provisioning

    await platform.createConnection(renamed, grant)
    const pointed = await platform.pointFunction(renamed)
    await platform.deleteConnection(at)
    await platform.replaceConnection(renamed, grant)
    const { body } = await send('GET', `/functions/${at.functionName}`)
    await expect(platform.deleteConnection(renamed)).rejects.toMatchObject({ cause: 'platform_unavailable' })
    await platform.deleteFunction(renamed)
    await platform.deleteConnection(renamed)
    await platform.deleteConnection(renamed) // a second time: it is gone, and that is what was wanted

    expect(pointed.url).toBe(url)
    expect(McpFunction.parse(body).spec.integrationConnections).toEqual([second])
    expect((await send('GET', `/integrations/connections/${second}`)).status).toBe(404)
  })

  test('a tool with a dead grant fails with the re-link code', async () => {
    const at = link()
    await platform.createConnection(at, { client: grant.client, refreshToken: new Secret('never-was') })
    const { url } = await platform.createFunction(at)

    const tried = await platform.tryTool({ ...at, functionUrl: url }, { name: target.tool, arguments: {} })

    expect(judgeTry(tried)).toEqual({ outcome: 'broken', cause: 'grant_revoked' })
  })

  test('a missing resource returns 404', async () => {
    expect((await send('GET', '/functions/never-was')).status).toBe(404)
  })
})

async function ourPlatform(): Promise<Target> {
  const filebox = await startThirdParty()
  const port = await freePort()
  const env = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` }
  const world = await platformWorld({ env, integrations: [filebox.integration] })
  const server = await listen(world.app, { host: '127.0.0.1', port })
  const close = async () => {
    await server.close(0)
    await world.close()
    await filebox.close()
  }
  const { key, workspace } = world.admin
  return {
    baseUrl: `${world.config.addresses.api}/v0`,
    key,
    workspace,
    brand: 'Service',
    integration: 'filebox',
    tool: 'list_files',
    close,
  }
}

async function namedPlatform(): Promise<Target> {
  return {
    baseUrl: env.CONTRACT_PLATFORM_URL ?? '',
    key: env.CONTRACT_PLATFORM_KEY ?? '',
    workspace: env.CONTRACT_PLATFORM_WORKSPACE ?? '',
    brand: env.CONTRACT_PLATFORM_BRAND ?? 'Service',
    integration: env.CONTRACT_PLATFORM_INTEGRATION ?? 'gmail',
    tool: env.CONTRACT_PLATFORM_TOOL ?? 'search_messages',
    close: async () => {},
  }
}
