import type { CustomFetchOptions } from 'openid-client'
import type { GuardedFetch } from '../../../kit/guarded-fetch.ts'

/** What openid-client calls instead of the global fetch. */
export type LibraryFetch = (url: string, options: CustomFetchOptions) => Promise<Response>

export function libraryFetch(fetch: GuardedFetch): LibraryFetch {
  return async (url, { method, headers, body }) => {
    const answer = await fetch(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { ...headers },
      body: body ? String(body) : undefined,
    })
    // A body is not allowed on these, and the library asks for none.
    const content = [204, 304].includes(answer.status) ? null : new Uint8Array(answer.body)
    return new Response(content, { status: answer.status, headers: answer.headers })
  }
}

/** The library refuses http by itself; which http addresses exist at all is decided by the guarded fetch. */
export const usesPlainHttp = (url: string) => url.startsWith('http:')
