import { z } from 'zod'
import { FetchError, type GuardedFetch, type GuardedRequest, type ProbingFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { AddressKind, Presence } from '../domain/catalogue/catalogue-check.ts'
import type { CatalogueProbe } from '../domain/ports/doctor.ts'

const Metadata = z.object({ authorization_endpoint: z.url(), token_endpoint: z.url() })

const wellKnown = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'causeway', version: '1.0.0' } },
}

/** The address is gone if every request is answered with 404 or 410. The older transport of MCP accepts no POST. */
const requests: Record<AddressKind, readonly GuardedRequest[]> = {
  authorization: [{ method: 'GET' }],
  token: [{ method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' }],
  mcp: [
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(initialize),
    },
    { method: 'GET', headers: { accept: 'text/event-stream' } },
  ],
}

export const catalogueProbe = (fetch: ProbingFetch): CatalogueProbe => ({
  outage: fetch.outage,
  presence: async (address, kind) => {
    try {
      return await statusAt(fetch, address, kind)
    } catch (error) {
      if (error instanceof FetchError) return presenceBehind(fetch, error)
      throw error
    }
  },
  async published(address) {
    for (const path of wellKnown) {
      const metadata = await metadataAt(fetch, new URL(path, address).href)
      if (metadata) return { authorization: metadata.authorization_endpoint, token: metadata.token_endpoint }
    }
    return undefined
  },
})

async function statusAt(fetch: GuardedFetch, address: string, kind: AddressKind): Promise<Presence> {
  for (const request of requests[kind]) {
    const { status } = await fetch(address, request)
    if (status !== 404 && status !== 410) return 'there'
  }
  return 'gone'
}

/** A host name that does not resolve is gone, unless this machine resolves no name. */
async function presenceBehind(fetch: ProbingFetch, { kind, code, partial }: FetchError): Promise<Presence> {
  if (kind === 'too_large' || partial) return 'there'
  return code === 'ENOTFOUND' && !(await fetch.outage([])) ? 'gone' : 'unreachable'
}

async function metadataAt(fetch: GuardedFetch, address: string): Promise<z.output<typeof Metadata> | undefined> {
  try {
    const { status, body } = await fetch(address, { headers: { accept: 'application/json' } })
    return status === 200 ? Metadata.safeParse(JSON.parse(body.toString())).data : undefined
  } catch (error) {
    if (error instanceof FetchError || error instanceof SyntaxError) return undefined
    throw error
  }
}
