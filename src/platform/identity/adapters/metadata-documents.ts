// Documents that apps publish about themselves, at addresses that anybody may name.
import { FetchError, guardedFetch } from '../../../kit/fetch/guarded-fetch.ts'

export type MetadataDocuments = ReturnType<typeof metadataDocuments>

const largest = 5 * 1024
const patienceMs = 3_000

/**
 * The authorization server's own way to the outside (OAuth Client ID Metadata Document, draft 02, sections 6.5 and 6.6):
 * no inner address by whatever name, no redirect, little time and little size.
 */
export function metadataDocuments({ allow }: { allow: readonly string[] }) {
  const call = guardedFetch({ allow, timeoutMs: patienceMs, maxBytes: largest })
  return {
    async fetch(address: string | URL | Request): Promise<Response> {
      const url = address instanceof Request ? address.url : String(address)
      const { status, headers, body } = await call(url, { headers: { accept: 'application/json' } }).catch((error) => {
        throw error instanceof FetchError ? new Error(`the document cannot be read: ${error.kind}`) : error
      })
      const cacheControl = headers['cache-control']
      return new Response(new Uint8Array(body), {
        status,
        headers: cacheControl ? { 'cache-control': cacheControl } : {},
      })
    },
    close: call.close,
  }
}
