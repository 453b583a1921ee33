// The tool for everything that no other tool of an integration does.
import { z } from 'zod'
import type { Integration } from './integration.ts'
import { type Arguments, assertInsideHosts, type HttpCall } from './tool-request.ts'

export const requestToolName = 'request'

const FreeRequest = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  url: z.url(),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.unknown().optional(),
})

export function freeRequest(args: Arguments, integration: Integration): HttpCall {
  const { method, url: address, query = {}, body } = FreeRequest.parse(args)
  const url = new URL(address)
  assertInsideHosts(url, integration)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return { method, url, body, api: integration.api }
}

/** As clients see it. */
export const requestToolDescription = ({ displayName, apiHosts }: Integration) => ({
  description: `Sends one authorised HTTP request to the API of ${displayName} (${apiHosts.join(', ')}), for what no other tool does.`,
  inputSchema: {
    type: 'object' as const,
    properties: {
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], default: 'GET' },
      url: { type: 'string', description: `An absolute address at ${apiHosts.join(' or ')}` },
      query: { type: 'object', description: 'Parameters to add to the address' },
      body: { description: 'Sent as JSON' },
    },
    required: ['url'],
  },
})
