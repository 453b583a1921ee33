import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { answered, type OfferedTool } from '../../../src/platform/gateway/domain/mcp.ts'
import { policyFor } from '../../../src/platform/gateway/domain/tool-policy.ts'
import { openFunction } from '../../../src/platform/gateway/flows/open-function.ts'

const tools: Record<string, string[]> = { files: ['list'], other: ['list', 'files_list'] }

const offered = (connection: string, name: string): OfferedTool => ({
  name,
  readsOnly: true,
  isReading: () => true,
  traits: () => undefined,
  shown: { inputSchema: { type: 'object' }, description: `${name} of ${connection}` },
  call: async () => answered(`${name} of ${connection}`),
})

const open = (...connections: string[]) =>
  openFunction({
    workloads: {
      findFunctionWithConnections: async (workspace, name) => ({
        id: 'f',
        name,
        displayName: name,
        status: 'DEPLOYED',
        memoryMb: 1,
        connections: connections.map((each) => ({
          id: each,
          version: 1,
          workspace,
          name: each,
          integration: each,
          config: {},
          secrets: new Secret({ REFRESH_TOKEN: 'granted' }),
        })),
      }),
    },
    integrations: {
      current: () => tools,
      get: (id) => ({ id, tools: [], inputs: {}, keep: { fromAnswer: {}, fromCallback: {} } }) as never,
    },
    callTool: async () => answered(''),
    vendorServer: async ({ connection: { name } }) => ({
      capabilities: ['tools'],
      instructions: undefined,
      tools: () => (tools[name] ?? []).map((tool) => offered(name, tool)),
      refresh: async () => {},
      ask: async () => ({}),
    }),
    policyOf: (at) => policyFor([], at),
    clientPolicyOf: () => undefined,
    servesImage: () => false,
    takeCall: () => undefined,
  })('acme', 'f', '')

test.each([
  [
    ['files', 'other'],
    ['list of files', 'list of other'],
  ],
  [
    ['other', 'files'],
    ['list of other', 'files_list of other'],
  ],
])('if two tools get the same name in %j, the first is shown and called', async (connections, expected) => {
  const opened = await open(...connections)
  const exchange = { signal: new AbortController().signal }

  const listed = await opened.listTools(exchange)
  const called = await opened.call('files_list', {}, exchange)

  expect(listed.map(({ description }) => description)).toEqual(expected)
  const shown = listed.find(({ name }) => name === 'files_list')?.description
  expect(called).toEqual(answered(shown ?? ''))
})
