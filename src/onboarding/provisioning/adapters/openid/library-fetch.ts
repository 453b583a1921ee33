import type { CustomFetchOptions } from 'openid-client'
import type { Answer, GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'

export type LibraryFetch = (url: string, options: CustomFetchOptions) => Promise<Response>

export const libraryFetch =
  (fetch: GuardedFetch): LibraryFetch =>
  async (url, options) =>
    toResponse(await sendFor(fetch, url, options))

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
  const content = [204, 304].includes(status) ? null : new Uint8Array(body)
  return new Response(content, { status, headers })
}

/** The library rejects http. The guarded fetch decides which http addresses are allowed. */
export const usesPlainHttp = (url: string) => url.startsWith('http:')
