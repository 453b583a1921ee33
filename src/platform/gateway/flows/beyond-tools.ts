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
        : askOwner({ vendors, able }, method, params, exchange)
    },
  }
}

async function askAll(able: VendorServer[], method: ForwardedMethod, params: JsonObject, exchange: Exchange) {
  await Promise.all(able.map((vendor) => vendor.ask(method, params, exchange)))
  return {}
}

/** Concatenates the lists of all servers; the cursor is prefixed with the server's position. */
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

type Vendors = { vendors: VendorServer[]; able: VendorServer[] }

async function askOwner({ vendors, able }: Vendors, method: ForwardedMethod, params: JsonObject, exchange: Exchange) {
  const owners = vendors.length === 1 ? vendors : await ownersOf(vendors, entryFor(method, params), exchange)
  const [owner, ...others] = owners.filter((vendor) => able.includes(vendor))
  if (!owner) throw new McpFailure('Not found.', undefined, invalidParams)
  if (others.length > 0) throw new McpFailure('Several servers list this item.', undefined, invalidParams)
  return owner.ask(method, params, exchange)
}

type Entry = { list: ForwardedMethod; of: string; by: string; value: unknown }

function entryFor(method: ForwardedMethod, params: JsonObject): Entry {
  if (method === 'resources/read') return { list: 'resources/list', of: 'resources', by: 'uri', value: params.uri }
  const { type, name, uri } = (method === 'completion/complete' ? params.ref : params) as JsonObject
  return type === 'ref/resource'
    ? { list: 'resources/templates/list', of: 'resourceTemplates', by: 'uriTemplate', value: uri }
    : { list: 'prompts/list', of: 'prompts', by: 'name', value: name }
}

async function ownersOf(vendors: VendorServer[], entry: Entry, exchange: Exchange): Promise<VendorServer[]> {
  const holders = vendors.filter(({ capabilities }) => capabilities.includes(capabilityFor[entry.list]))
  if (holders.length === 1) return holders
  const found = await Promise.all(holders.map((vendor) => isListed(vendor, entry, exchange).catch(falseIfRefused)))
  return holders.filter((_, at) => found[at])
}

/** Not every server with resources has templates. */
function falseIfRefused(error: unknown): false {
  if (error instanceof McpFailure && error.code !== undefined) return false
  throw error
}

const maxPages = 16

/** The search does not show the request or its metadata to the other servers. */
async function isListed(vendor: VendorServer, { list, of, by, value }: Entry, { signal, session }: Exchange) {
  let cursor: unknown
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await vendor.ask(list, cursor === undefined ? {} : { cursor }, { signal, session })
    if (Array.isArray(page[of]) && page[of].some((entry) => entry?.[by] === value)) return true
    cursor = page.nextCursor
    if (typeof cursor !== 'string' || cursor === '') return false
  }
  return false
}

const invalidParams = -32_602
