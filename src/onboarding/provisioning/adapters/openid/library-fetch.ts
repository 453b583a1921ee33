import type { CustomFetchOptions } from 'openid-client'
import type { Answer, GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'

/** What openid-client calls instead of the global fetch. */
export type LibraryFetch = (url: string, options: CustomFetchOptions) => Promise<Response>

export const libraryFetch =
  (fetch: GuardedFetch): LibraryFetch =>
  async (url, options) =>
    toResponse(await sendFor(fetch, url, options))

/** The library's request, and the answer as it came. */
export const sendFor = (
  fetch: GuardedFetch,
  url: string,
  { method, headers, body }: CustomFetchOptions,
): Promise<Answer> =>
  fetch(url, {
    method: method === 'POST' ? 'POST' : 'GET',
    headers: { ...headers },
    body: body ? String(body) : undefined,
  })

export function toResponse({ status, headers, body }: Answer): Response {
  // A body is not allowed on these, and the library asks for none.
  const content = [204, 304].includes(status) ? null : new Uint8Array(body)
  return new Response(content, { status, headers })
}

/** The library refuses http by itself; which http addresses exist at all is decided by the guarded fetch. */
export const usesPlainHttp = (url: string) => url.startsWith('http:')
