import { expect, test } from 'vitest'
import { McpFailure } from '../../../src/platform/gateway/domain/mcp.ts'
import type { JsonObject, VendorCapability } from '../../../src/platform/gateway/domain/vendor/vendor-mcp.ts'
import { beyondTools } from '../../../src/platform/gateway/flows/beyond-tools.ts'

type Lists = Record<string, JsonObject>

function vendor(
  name: string,
  lists: Lists,
  capabilities: VendorCapability[] = ['prompts', 'resources', 'completions'],
) {
  const asked: string[] = []
  const told: unknown[] = []
  const server = {
    capabilities,
    instructions: undefined,
    tools: () => [],
    refresh: async () => {},
    async ask(method: string, params: JsonObject, exchange: { meta?: unknown }) {
      asked.push(method)
      told.push(params, exchange.meta)
      if (!method.endsWith('/list')) return { from: name }
      const page = lists[`${method}${params.cursor ?? ''}`]
      if (!page) throw new McpFailure('Method not found', undefined, -32_601)
      return page
    },
  }
  return { server, asked, told }
}

const exchange = { signal: new AbortController().signal, meta: { trace: 'CANARY-meta' } }
const opened = (...vendors: ReturnType<typeof vendor>[]) => {
  const beyond = beyondTools(vendors.map(({ server }) => ({ vendor: server })))
  if (!beyond) throw new Error('there is a vendor')
  return (method: Parameters<typeof beyond.ask>[0], params: JsonObject) => beyond.ask(method, params, exchange)
}

const mail = () =>
  vendor('mail', { 'prompts/list': { prompts: [{ name: 'write' }] }, 'resources/list': { resources: [] } })
const files = () =>
  vendor('files', {
    'prompts/list': { prompts: [{ name: 'sort' }], nextCursor: '2' },
    'prompts/list2': { prompts: [{ name: 'find' }] },
    'resources/list': { resources: [{ uri: 'files://a' }] },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'files://{id}' }] },
  })

const argument = { name: 'who', value: 'CANARY-value' }
test.each([
  ['prompts/get', { name: 'find', arguments: { who: 'CANARY-value' } }],
  ['resources/read', { uri: 'files://a' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'find' }, argument }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'files://{id}' }, argument }],
] as const)('%s goes only to the server that lists it', async (method, params) => {
  const [other, owner] = [mail(), files()]

  expect(await opened(other, owner)(method, params)).toEqual({ from: 'files' })
  expect(other.asked.every((each) => each.endsWith('/list'))).toBe(true)
  expect(JSON.stringify(other.told)).not.toContain('CANARY')
})

test('calls no server for an item that no server lists', async () => {
  const both = [mail(), files()]

  await expect(opened(...both)('resources/read', { uri: 'files://secret' })).rejects.toThrow('Not found.')
  expect(both.flatMap(({ asked }) => asked)).not.toContain('resources/read')
})

test('calls no server for an item that two servers list', async () => {
  const both = [mail(), mail()]

  await expect(opened(...both)('prompts/get', { name: 'write' })).rejects.toThrow('Several servers list this item.')
  expect(both.flatMap(({ asked }) => asked)).not.toContain('prompts/get')
})

test('does not send a completion to a server that has completions but not the prompt', async () => {
  const other = vendor('other', {}, ['completions'])
  const owner = vendor('owner', { 'prompts/list': { prompts: [{ name: 'write' }] } }, ['prompts'])
  const ask = opened(other, owner)

  const completing = ask('completion/complete', { ref: { type: 'ref/prompt', name: 'write' }, argument })

  await expect(completing).rejects.toThrow('Not found.')
  expect(other.asked).toEqual([])
})

test('a single server also receives requests for items that it does not list', async () => {
  const only = files()

  expect(await opened(only)('resources/read', { uri: 'files://b' })).toEqual({ from: 'files' })
  expect(only.asked).toEqual(['resources/read'])
})
