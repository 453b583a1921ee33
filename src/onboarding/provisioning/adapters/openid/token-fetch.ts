// What happens to the one request that matters: it is sent once, and its answer is kept before anybody reads it.
import { type Answer, FetchError, type GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { TokenRequest } from '../../../domain/ports/provider.ts'
import { type LibraryFetch, sendFor, toResponse } from './library-fetch.ts'
import { packAnswer, type StoredAnswer, standardAnswer } from './token-answer.ts'

/** What our own fetch knows of a request, whatever the library makes of it. */
export type RequestTrace = { fetchError?: FetchError; status?: number; stored?: StoredAnswer; storeError?: unknown }

type StoringRequest = Pick<TokenRequest, 'integration' | 'nonce' | 'issuer' | 'keep'>

/** Sends the token request once (again only when nothing left this machine) and keeps a good answer before it is read. */
export function keepingFetch(
  fetch: GuardedFetch,
  request: StoringRequest,
  seen: RequestTrace,
  now: () => Date,
): LibraryFetch {
  return async (url, options) => {
    if (options.method !== 'POST') return toResponse(await sendFor(fetch, url, options)) // the provider's keys
    try {
      const answer = await sendFor(fetch, url, options).catch((error) => {
        if (error instanceof FetchError && error.kind === 'unreachable') return sendFor(fetch, url, options)
        throw error
      })
      seen.status = answer.status
      if (answer.status < 200 || answer.status > 299) return toResponse(answer)
      const contentType = answer.headers['content-type'] ?? ''
      const { nonce, issuer } = request
      seen.stored = { body: textOf(answer), contentType, nonce, issuer, receivedAt: now().getTime() }
      await request.keep(packAnswer(seen.stored)).catch((error) => {
        seen.storeError = error
        throw error
      })
      return standardAnswer(seen.stored, request.integration)
    } catch (error) {
      if (error instanceof FetchError) seen.fetchError = error
      throw error
    }
  }
}

/** Without the mark that some servers put before UTF-8; JSON has none. */
const textOf = ({ body }: Answer) => body.toString().replace(/^\uFEFF/, '')

/** Gives an answer that was kept before to the library once more. */
export function replayingFetch(fetch: LibraryFetch, stored: ReplaySource, tokenEndpoint: string): LibraryFetch {
  return async (url, options) =>
    url === tokenEndpoint ? standardAnswer(stored.answer, stored.integration) : fetch(url, options)
}

type ReplaySource = { answer: StoredAnswer; integration: Integration }
