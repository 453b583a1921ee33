import { type Answer, FetchError, type GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import type { Members } from '../../../../kit/token-answer/answer-objects.ts'
import { readTokenAnswer, type Unreadable } from '../../../../kit/token-answer/token-reading.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { TokenRequest } from '../../../domain/ports/provider.ts'
import type { OutsideCallName } from '../../../domain/trace/outside-call.ts'
import { notingFetch } from '../noted-calls.ts'
import { type LibraryFetch, sendFor, toResponse } from './library-fetch.ts'
import { packAnswer, type StoredAnswer, storedAnswer } from './stored-answer.ts'
import { answerMembers, standardAnswer, tokenMember } from './token-answer.ts'
import { standardError, translatedRefusal, wireRequest } from './token-wire.ts'

export type RequestTrace = {
  fetchError?: FetchError
  status?: number
  stored?: StoredAnswer
  storeError?: unknown
  unreadable?: Unreadable
  /** How far our clock is ahead of the `Date` of the response. */
  aheadSeconds?: number
}

type StoringRequest = Pick<TokenRequest, 'integration' | 'nonce' | 'issuer' | 'keep' | 'note'> & {
  call: OutsideCallName
}

type KeptRequest = { fetch: GuardedFetch; now: () => Date; seen: RequestTrace; request: StoringRequest }

/** Sends a token request again only if nothing left this machine. Stores a good response before it is parsed. */
export async function keptAnswer(
  { fetch, now, seen, request }: KeptRequest,
  url: string,
  options: Options,
): Promise<Response> {
  try {
    const noting = notingFetch(fetch, request.note, request.call)
    const { isPartial, answer } = await askOnce(noting, url, options)
    seen.status = answer.status
    const aheadMs = now().getTime() - Date.parse(answer.headers.date ?? '')
    if (!Number.isNaN(aheadMs)) seen.aheadSeconds = Math.round(aheadMs / 1_000)
    const { nonce, issuer, integration } = request
    const { within } = integration.tokenAnswer
    const isRefusal = !isGood(answer)
    const received = { nonce, issuer, receivedAt: now().getTime(), isPartial, within }
    const stored = storedAnswer(answer, { ...received, ...(isRefusal && { isRefusal }) })
    // The answer to a refresh would replace the grant in use.
    if (isRefusal && (request.call !== 'token' || !hasToken(stored)))
      return toResponse(translatedRefusal(answer, integration))
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

export function replayingFetch(fetch: LibraryFetch, source: ReplaySource, tokenEndpoint: string): LibraryFetch {
  const { answer, integration, seen } = source
  return async (url, options) => (url === tokenEndpoint ? understood(answer, integration, seen) : fetch(url, options))
}

type ReplaySource = { answer: StoredAnswer; integration: Integration; seen: RequestTrace }

function understood(stored: StoredAnswer, integration: Integration, seen: RequestTrace): Response {
  const reading = readTokenAnswer(stored)
  if (stored.isRefusal && !reading.unreadable) return refusal(reading.members, integration)
  if (!reading.unreadable) return standardAnswer(reading.members, integration)
  seen.unreadable = reading.unreadable
  throw new DependencyError('answer_unreadable', { detail: reading.unreadable })
}

function hasToken(stored: StoredAnswer): boolean {
  const members = answerMembers(stored)
  return ['access_token', 'refresh_token'].some((name) => tokenMember(members, name) !== undefined)
}

function refusal(members: Members, integration: Integration): Response {
  const error = standardError(members, 400, integration) ?? String(members.error ?? 'unnamed_error')
  return Response.json({ error }, { status: 400 })
}

/** Includes a truncated response, which may contain a token. */
async function askOnce(
  fetch: GuardedFetch,
  url: string,
  options: Options,
): Promise<{ answer: Answer; isPartial: boolean }> {
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
