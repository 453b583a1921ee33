import { z } from 'zod'
import { FetchError, type GuardedFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { Presence } from '../domain/catalogue/catalogue-check.ts'
import type { CatalogueProbe } from '../domain/ports/doctor.ts'

const Metadata = z.object({ authorization_endpoint: z.url(), token_endpoint: z.url() })

const wellKnown = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

const form = { 'content-type': 'application/x-www-form-urlencoded' }

export const catalogueProbe = (fetch: GuardedFetch): CatalogueProbe => ({
  async presence(address, method) {
    try {
      const { status } = await fetch(address, method === 'POST' ? { method, headers: form, body: '' } : { method })
      return status === 404 || status === 410 ? 'gone' : 'there'
    } catch (error) {
      if (error instanceof FetchError) return presenceBehind(error)
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

/** An address with an oversized page exists. A host name that does not resolve is gone. */
function presenceBehind({ kind, code }: FetchError): Presence {
  if (kind === 'too_large') return 'there'
  return code === 'ENOTFOUND' ? 'gone' : 'unreachable'
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
