// Policies for the logins of one MCP client at a function.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ToolRule } from '../../../src/platform/gateway/domain/tool-policy.ts'
import type { ServedIntegrations } from '../../../src/platform/gateway/integrations/catalogue.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type RepairWorld, repairWorld } from '../../support/worlds/repair-world.ts'

let world: RepairWorld
let login: Awaited<ReturnType<RepairWorld['endUser']>>
let clientId: string

beforeAll(async () => {
  const file = join(temporaryFolder(), 'policy.json')
  const rules: ToolRule[] = [{ perMinute: { list_files: 4 } }]
  writeFileSync(file, JSON.stringify({ rules }))
  world = await repairWorld({ TOOL_POLICY_FILE: file })
  login = await world.endUser('user-1')
  clientId = (await world.platform.pool.query('select client_id from function_grants')).rows[0].client_id
}, 60_000)
afterAll(() => world.close())

const served = () => world.platform.config.integrations as ServedIntegrations

const restrict = (policy: object, client = clientId) =>
  served().replace({
    version: 1,
    integrations: [{ id: 'filebox', entry: world.filebox.integration as never }],
    policies: [{ workspace: 'acme', connection: 'files', client, ...policy }],
  })

const tools = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const result = await client
    .callTool({ name, arguments: args })
    .catch((error: Error) => ({ _meta: { code: error.message } }))
  return (result as { _meta?: { code?: string } })._meta?.code ?? 'answered'
}

test('a login has the tools of its policy, and other logins and keys have all', async () => {
  const [own, byKey] = [await world.connect(login.token), await world.connect(world.platform.admin.key)]
  const all = await tools(byKey)
  restrict({ deny: ['write_file'], readOnly: true })

  expect(await tools(own)).toEqual(all.filter((name) => name !== 'write_file'))
  expect(await tools(byKey)).toEqual(all)
  expect(await call(own, 'write_file', { path: 'a', size: 1 })).toMatch(/Unknown tool/)
  expect(await call(own, 'request', { url: `${world.filebox.url}/api/files/1`, method: 'DELETE' })).toBe(
    'tool_not_offered',
  )
  expect(await call(byKey, 'write_file', { path: 'a', size: 1 })).toBe('answered')

  restrict({ deny: ['write_file'] }, 'another-client')
  expect(await tools(own)).toEqual(all)
})

test('calls of a login need the approval of its policy', async () => {
  const [own, byKey] = [await world.connect(login.token), await world.connect(world.platform.admin.key)]
  restrict({ approval: { calls: 'all' } })

  const codes = [
    await call(own, 'write_file', { path: 'b', size: 1 }),
    await call(byKey, 'write_file', { path: 'b', size: 1 }),
  ]

  expect(codes).toEqual(['approval_required', 'answered'])
})

test('the limit of a login does not raise that of all', async () => {
  const [own, byKey] = [await world.connect(login.token), await world.connect(world.platform.admin.key)]
  restrict({ perMinute: { list_files: 2 } })

  const codes = [await call(own, 'list_files'), await call(own, 'list_files'), await call(own, 'list_files')]
  for (let at = 0; at < 3; at++) codes.push(await call(byKey, 'list_files'))

  expect(codes).toEqual(['answered', 'answered', 'rate_limited', 'answered', 'answered', 'rate_limited'])
})
