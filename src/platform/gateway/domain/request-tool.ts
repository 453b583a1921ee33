import { z } from 'zod'
import type { CallTraits } from './approvals/approval-rule.ts'
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

/** Undefined if nothing is sent, because the arguments are not valid. */
export function requestTraits(args: Arguments, integration: Integration): RequestTraits | undefined {
  try {
    const { method, url } = freeRequest(args, integration)
    return httpTraits(requestToolName, method, url)
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof OutsideReach) return undefined
    throw error
  }
}

type RequestTraits = CallTraits & { covers: string }

export const httpTraits = (tool: string, method: string, { host, pathname }: URL): RequestTraits => ({
  tool,
  effect: /^(GET|HEAD|OPTIONS)$/.test(method) ? 'reads' : 'destroys',
  method,
  covers: `${tool} ${method} ${host}${pathname}`,
})

/** Other headers could override the method (`X-HTTP-Method-Override`) or impersonate a user. */
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

export const requestToolDescription = (integration: Integration) => describe(integration, toolHeaders(integration))

const describe = ({ displayName, apiHosts }: Integration, headers: string[]) => ({
  description: `Sends an authorised HTTP request to the API of ${displayName} (${apiHosts.join(', ')}). Use it if no other tool fits.`,
  inputSchema: {
    type: 'object' as const,
    properties: {
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], default: 'GET' },
      url: { type: 'string', description: `An absolute URL at ${apiHosts.join(' or ')}` },
      query: { type: 'object', description: 'Query parameters to add' },
      ...(headers.length > 0 && {
        headers: { type: 'object', description: `Headers to send: ${headers.join(', ')}` },
      }),
      body: { description: 'The body, encoded as bodyType' },
      bodyType: { type: 'string', enum: [...bodyTypes], default: bodyTypes[0] },
    },
    required: ['url'],
  },
})
