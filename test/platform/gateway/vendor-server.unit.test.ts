import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { openVendorServer } from '../../../src/platform/gateway/flows/vendor-server.ts'

type Needs = Parameters<typeof openVendorServer>[0]
type Of = Parameters<ReturnType<typeof openVendorServer>>[0]

const of = {
  functionId: 'function-1',
  functionName: 'silent',
  position: 0,
  integration: { id: 'vendor', displayName: 'Vendor', mcpUrl: 'https://vendor.example/mcp' },
  connection: { id: 'connection-1', version: 1, name: 'silent', secrets: new Secret({}) },
} as Of

test('opens a server that never answers, and waits for it only once', async () => {
  let pauses = 0
  const open = openVendorServer({
    vendorMcp: { list: () => new Promise(() => {}), forward: () => new Promise(() => {}) },
    toolLists: { find: async () => undefined },
    pause: async () => void pauses++,
  } as unknown as Needs)

  const server = await open(of)
  await server?.refresh({ acceptsKnownTools: true })
  await open(of)

  expect(server?.tools().map(({ name }) => name)).toEqual(['connect_account'])
  expect(pauses).toBe(1)
})
