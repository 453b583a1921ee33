// Prompts, resources, completions and logs of the vendors' servers behind one function.
import type { OpenMcp } from '../domain/mcp.ts'
import { McpFailure } from '../domain/mcp.ts'
import type { Exchange, ForwardedMethod, JsonObject, VendorCapability } from '../domain/vendor/vendor-mcp.ts'
import type { VendorServer } from './vendor-server.ts'

type BeyondTools = NonNullable<OpenMcp['beyondTools']>

const capabilityFor: Record<ForwardedMethod, VendorCapability> = {
  'prompts/list': 'prompts',
  'prompts/get': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'resources/read': 'resources',
  'completion/complete': 'completions',
  'logging/setLevel': 'logging',
}

/** Returns undefined if no connection of the function leads to a vendor's own server. */
export function beyondTools(sources: ReadonlyArray<{ vendor: VendorServer | undefined }>): BeyondTools | undefined {
  const vendors = sources.flatMap(({ vendor }) => vendor ?? [])
  if (vendors.length === 0) return undefined
  const capabilities = [...new Set(vendors.flatMap((vendor) => vendor.capabilities))].filter((name) => name !== 'tools')
  return {
    capabilities,
    instructions: vendors.flatMap(({ instructions }) => instructions ?? []).join('\n\n') || undefined,
    ask(method, params, exchange) {
      const able = vendors.filter((vendor) => vendor.capabilities.includes(capabilityFor[method]))
      if (method === 'logging/setLevel') return askAll(able, method, params, exchange)
      return method.endsWith('/list')
        ? pageOf(able, method, params, exchange)
        : askInTurn(able, method, params, exchange)
    },
  }
}

async function askAll(able: VendorServer[], method: ForwardedMethod, params: JsonObject, exchange: Exchange) {
  await Promise.all(able.map((vendor) => vendor.ask(method, params, exchange)))
  return {}
}

/** The lists one after the other: a cursor says whose page it is. With one server it is that server's own. */
async function pageOf(able: VendorServer[], method: ForwardedMethod, params: JsonObject, exchange: Exchange) {
  const { cursor, ...rest } = params
  const [, at = '', inner = ''] = /^(\d{1,2}):(.*)$/s.exec(cursor === undefined ? '0:' : String(cursor)) ?? []
  const vendor = at === '' ? undefined : able[Number(at)]
  if (!vendor) throw new McpFailure('The cursor is not valid.', undefined, invalidParams)
  const { nextCursor, ...page } = await vendor.ask(method, { ...rest, ...(inner && { cursor: inner }) }, exchange)
  const next =
    typeof nextCursor === 'string' && nextCursor !== '' ? `${at}:${nextCursor}` : cursorAfter(Number(at), able)
  return { ...page, ...(next !== undefined && { nextCursor: next }) }
}

const cursorAfter = (at: number, able: VendorServer[]) => (at + 1 < able.length ? `${at + 1}:` : undefined)

/** Names and addresses do not say whose they are: the first server that does not refuse has it. */
async function askInTurn(able: VendorServer[], method: ForwardedMethod, params: JsonObject, exchange: Exchange) {
  let refusal: unknown
  for (const vendor of able) {
    try {
      return await vendor.ask(method, params, exchange)
    } catch (error) {
      if (!(error instanceof McpFailure && error.code !== undefined)) throw error
      refusal ??= error
    }
  }
  throw refusal ?? new McpFailure('There is no such thing.', undefined, invalidParams)
}

const invalidParams = -32_602
