// Behind a Connect button: sends a user to link an account and reads the result when the browser returns.
import { createHash, randomBytes } from 'node:crypto'
import { ApiError, ArgumentError, ReturnError } from './errors.ts'
import type { RetrySettings } from './retries.ts'
import type { CallOptions, Send } from './transport.ts'
import type { Answer, Body, LinkOutcome } from './types.ts'

/** `completionChallenge` is generated. */
export type ConnectRequest = Omit<
  Body<'createConnectSession'>,
  'completionChallenge' | 'integrationId' | 'integrationIds'
> &
  ({ integrationId: string; integrationIds?: undefined } | { integrationIds: string[]; integrationId?: undefined })

/** `completionChallenge` is generated, and `returnUrl` is required. */
export type RelinkRequest = Omit<Body<'createRelinkSession'>, 'completionChallenge' | 'returnUrl'> & {
  returnUrl: string
}

export type ConnectStart = {
  /** Redirect the user's browser to this URL. Don't show it to other users. */
  url: string
  /** Opaque. Store it in the user's session on your server and pass it to `finish`. */
  state: string
  connectSessionId: string
  expiresAt: string
}

/** The query of the return URL, as a string or parsed, or the whole URL. */
export type ReturnQuery = string | URL | URLSearchParams | Record<string, unknown>

export type Connect = ReturnType<typeof connectFlow>

/** Short, because a user is waiting. */
const maxConnectWaitMs = 3_000

export const connectFlow = (send: Send, { maxWaitMs = maxConnectWaitMs }: RetrySettings = {}) =>
  flowFor((operation, input, options) => {
    const retries = { maxWaitMs: Math.min(maxWaitMs, maxConnectWaitMs), ...options?.retries }
    return send(operation, input, { ...options, retries })
  })

const flowFor = (send: Send) => ({
  /** Creates a connect session. */
  async begin(request: ConnectRequest, options?: CallOptions): Promise<ConnectStart> {
    const { verifier, completionChallenge } = newChallenge()
    const session = await send('createConnectSession', { body: { ...request, completionChallenge } }, options)
    return startOf(session, verifier)
  },

  /**
   * Creates a re-link session for a signed-in user, who returns as after `begin`. Check that the connection belongs to
   * this user. For a URL that you send by email, use `connections.createRelinkSession`.
   */
  async beginRelink(connectionId: string, request: RelinkRequest, options?: CallOptions): Promise<ConnectStart> {
    const { verifier, completionChallenge } = newChallenge()
    const body = { ...request, completionChallenge }
    return startOf(await send('createRelinkSession', { params: { connectionId }, body }, options), verifier)
  },

  /**
   * Returns the link that the browser returned with. All members are read from the API, because the query can be forged.
   * Throws ReturnError if another browser started the connect session.
   */
  async finish(query: ReturnQuery, state: string | undefined, options?: CallOptions): Promise<LinkOutcome> {
    const result = resultIn(query)
    const { id, verifier } = readState(state)
    if (result.get('connect_session_id') !== id) {
      throw new ReturnError('state_mismatch', 'This browser returned from a connect session that it did not start.')
    }
    const completionCode = result.get('completion_code')
    if (!completionCode) return readLink(send, id, options)
    const body = { completionCode, completionVerifier: verifier }
    try {
      const params = { connectSessionId: id }
      return (await send('completeConnectSession', { params, body }, options)) as LinkOutcome
    } catch (error) {
      // The user reloaded the page.
      if (error instanceof ApiError && error.code === 'completion_used') return readLink(send, id, options)
      throw error
    }
  },
})

function newChallenge() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, completionChallenge: createHash('sha256').update(verifier).digest('base64url') }
}

const startOf = ({ id, url, expiresAt }: Answer<'createConnectSession'>, verifier: string): ConnectStart => ({
  url,
  state: writeState({ id, verifier }),
  connectSessionId: id,
  expiresAt,
})

async function readLink(send: Send, connectSessionId: string, options: CallOptions | undefined): Promise<LinkOutcome> {
  const { linkId } = await send('getConnectSession', { params: { connectSessionId } }, options)
  if (!linkId) throw new ReturnError('result_missing', 'The user has not started this connect session.')
  return (await send('getLink', { params: { linkId } }, options)) as LinkOutcome
}

type State = { id: string; verifier: string }

const writeState = ({ id, verifier }: State): string => `cws1.${id}.${verifier}`

function readState(state: string | undefined): State {
  if (!state)
    throw new ReturnError(
      'state_missing',
      'No `state` in the session. Did you save it before the redirect, with a SameSite=Lax cookie?',
    )
  const [form, id, verifier] = state.split('.')
  if (form !== 'cws1' || !id || !verifier)
    throw new ReturnError('state_unreadable', 'The state was not created by `begin`.')
  return { id, verifier }
}

function resultIn(query: ReturnQuery): URLSearchParams {
  const result = paramsOf(query ?? {})
  if (result.has('connect_session_id')) return result
  if (isMistaken(query)) {
    throw new ArgumentError(
      '`finish` takes the query of the return URL: req.query in Express, `await searchParams` in Next.js, or request.url.',
    )
  }
  const words = 'The query has no connect_session_id: this page is for browsers that return from Causeway.'
  throw new ReturnError('query_missing', words)
}

/** Nothing, the whole request, or an unawaited promise of the query. */
const isMistaken = (query: unknown): boolean =>
  query === undefined ||
  query === null ||
  (typeof query === 'object' && ('then' in query || ('headers' in query && typeof query.headers === 'object')))

function paramsOf(query: ReturnQuery): URLSearchParams {
  if (query instanceof URLSearchParams) return query
  if (query instanceof URL) return query.searchParams
  if (typeof query === 'string') return new URLSearchParams(query.slice(query.indexOf('?') + 1))
  // Frameworks parse repeated parameters as arrays. Causeway sends each parameter once.
  const texts = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return new URLSearchParams(texts)
}
