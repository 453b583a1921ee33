// The tool for everything that no other tool of an integration does.
import { z } from 'zod'
import { bodyTypes, type Integration } from './integration.ts'
import { type Arguments, assertInsideHosts, type HttpCall, headerValue, OutsideReach } from './tool-request.ts'

export const requestToolName = 'request'

const FreeRequest = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  url: z.url(),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  headers: z.record(z.string(), z.unknown()).default({}),
  body: z.unknown().optional(),
  bodyType: z.enum(bodyTypes).default('application/json'),
})

export function freeRequest(args: Arguments, integration: Integration): HttpCall {
  const { method, url: address, query = {}, headers, body, bodyType } = FreeRequest.parse(args)
  const url = new URL(address)
  assertInsideHosts(url, integration)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return { method, url, headers: knownHeaders(headers, integration), body, bodyType, api: integration.api }
}

/** Others could turn a GET into something else (`X-HTTP-Method-Override`), or speak for somebody else. */
function knownHeaders(given: Record<string, unknown>, integration: Integration): Record<string, string> {
  const known = toolHeaders(integration)
  const lines = Object.entries(given).map(([name, value]) => [name.toLowerCase(), headerValue(value)] as const)
  const stranger = lines.find(([name]) => !known.includes(name))
  if (stranger) throw new OutsideReach(`${stranger[0]} is not one of the headers that this integration sends.`)
  return Object.fromEntries(lines)
}

const toolHeaders = ({ tools }: Integration): string[] => [
  ...new Set(tools.flatMap(({ request }) => Object.keys(request.headers ?? {})).map((name) => name.toLowerCase())),
]

/** As clients see it. */
export const requestToolDescription = (integration: Integration) => describe(integration, toolHeaders(integration))

const describe = ({ displayName, apiHosts }: Integration, headers: string[]) => ({
  description: `Sends one authorised HTTP request to the API of ${displayName} (${apiHosts.join(', ')}), for what no other tool does.`,
  inputSchema: {
    type: 'object' as const,
    properties: {
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], default: 'GET' },
      url: { type: 'string', description: `An absolute address at ${apiHosts.join(' or ')}` },
      query: { type: 'object', description: 'Parameters to add to the address' },
      ...(headers.length > 0 && {
        headers: { type: 'object', description: `Headers to send: ${headers.join(', ')}` },
      }),
      body: { description: 'What to send, written as bodyType says' },
      bodyType: { type: 'string', enum: [...bodyTypes], default: bodyTypes[0] },
    },
    required: ['url'],
  },
})
