// What happens to the one request that matters: it is sent once, and its answer is kept before anybody reads it.
import { type Answer, FetchError, type GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { readTokenAnswer, type Unreadable } from '../../../../kit/token-answer/token-reading.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { TokenRequest } from '../../../domain/ports/provider.ts'
import type { OutsideCallName } from '../../../domain/trace/outside-call.ts'
import { notingFetch } from '../noted-calls.ts'
import { type LibraryFetch, sendFor, toResponse } from './library-fetch.ts'
import { packAnswer, type StoredAnswer, storedAnswer } from './stored-answer.ts'
import { standardAnswer } from './token-answer.ts'
import { translatedRefusal, wireRequest } from './token-wire.ts'

/** What our own fetch knows of a request, whatever the library makes of it. */
export type RequestTrace = {
  fetchError?: FetchError
  status?: number
  stored?: StoredAnswer
  storeError?: unknown
  unreadable?: Unreadable
}

type StoringRequest = Pick<TokenRequest, 'integration' | 'nonce' | 'issuer' | 'keep' | 'note'> & {
  /** What it is noted as. */
  call: OutsideCallName
}

export type KeptRequest = { fetch: GuardedFetch; now: () => Date; seen: RequestTrace; request: StoringRequest }

/** Sends a token request once (again only when nothing left this machine) and keeps a good answer before it is read. */
export async function keptAnswer(
  { fetch, now, seen, request }: KeptRequest,
  url: string,
  options: Options,
): Promise<Response> {
  try {
    const noting = notingFetch(fetch, request.note, request.call)
    const { isPartial, answer } = await askOnce(noting, url, options)
    seen.status = answer.status
    if (!isGood(answer)) return toResponse(translatedRefusal(answer, request.integration))
    const { nonce, issuer, integration } = request
    const { within } = integration.tokenAnswer
    const stored = storedAnswer(answer, { nonce, issuer, receivedAt: now().getTime(), isPartial, within })
    seen.stored = stored
    await request.keep(packAnswer(stored)).catch((error) => {
      seen.storeError = error
      throw error
    })
    return understood(stored, integration, seen)
  } catch (error) {
    if (error instanceof FetchError) seen.fetchError = error
    throw error
  }
}

/** The same for requests of the library, which also asks for the provider's keys. */
export function keepingFetch(
  fetch: GuardedFetch,
  request: StoringRequest,
  seen: RequestTrace,
  now: () => Date,
): LibraryFetch {
  return async (url, options) => {
    if (options.method !== 'POST') return toResponse(await sendFor(fetch, url, options))
    const wire = wireRequest(url, options, request.integration)
    return keptAnswer({ fetch, now, seen, request }, wire.url, wire.options)
  }
}

/** Gives an answer that was kept before to the library once more. */
export function replayingFetch(fetch: LibraryFetch, source: ReplaySource, tokenEndpoint: string): LibraryFetch {
  const { answer, integration, seen } = source
  return async (url, options) => (url === tokenEndpoint ? understood(answer, integration, seen) : fetch(url, options))
}

type ReplaySource = { answer: StoredAnswer; integration: Integration; seen: RequestTrace }

/** The library wraps what a fetch throws, so what cannot be read is noted, too. */
function understood(stored: StoredAnswer, integration: Integration, seen: RequestTrace): Response {
  const reading = readTokenAnswer(stored)
  if (!reading.unreadable) return standardAnswer(reading.members, integration)
  seen.unreadable = reading.unreadable
  throw new DependencyError('answer_unreadable', { detail: reading.unreadable })
}

/** A good answer that broke off after its first bytes is one, too: a token may be among them. */
async function askOnce(
  fetch: GuardedFetch,
  url: string,
  options: Options,
): Promise<{ answer: Answer; isPartial: boolean }> {
  // A token answer is small, and an answer that nobody compressed is one thing less to go wrong.
  const plain = { ...options, headers: { ...options.headers, 'accept-encoding': 'identity' } }
  const send = () => sendFor(fetch, url, plain)
  try {
    const answer = await send().catch((error) => {
      if (error instanceof FetchError && error.kind === 'unreachable') return send()
      throw error
    })
    return { answer, isPartial: false }
  } catch (error) {
    const partial = error instanceof FetchError ? error.partial?.reveal() : undefined
    if (partial && isGood(partial) && partial.body.toString('latin1').trim() !== '')
      return { answer: partial, isPartial: true }
    throw error
  }
}

type Options = Parameters<LibraryFetch>[1]

const isGood = ({ status }: Pick<Answer, 'status'>): boolean => status >= 200 && status <= 299
