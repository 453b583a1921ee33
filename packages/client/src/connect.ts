// The Connect button: sends a user to link an account, and finds out what became of it when the browser is back.
import { createHash, randomBytes } from 'node:crypto'
import { ApiError, ArgumentError, ReturnError } from './errors.ts'
import type { RetrySettings } from './retries.ts'
import type { CallOptions, Send } from './transport.ts'
import type { Answer, Body, LinkOutcome } from './types.ts'

/** Who links what. `completionChallenge` is made for you. */
export type ConnectRequest = Omit<Body<'createConnectSession'>, 'completionChallenge'>

/** Why an account is connected once more, and where its user comes back to. `completionChallenge` is made for you. */
export type RelinkRequest = Omit<Body<'createRelinkSession'>, 'completionChallenge' | 'returnUrl'> & {
  returnUrl: string
}

export type ConnectStart = {
  /** Redirect the browser of this user there, and keep it from everyone else. */
  url: string
  /** Keep it in the session of this user, on your server, and hand it to `finish`. What is in it is not for you. */
  state: string
  connectSessionId: string
  expiresAt: string
}

/** The query of the return URL: as a text, parsed by your framework, or the whole URL. */
export type ReturnQuery = string | URL | URLSearchParams | Record<string, unknown>

export type Connect = ReturnType<typeof connectFlow>

/** A user waits meanwhile: what takes longer is told at once. */
const longestWaitMs = 3_000

export const connectFlow = (send: Send, { maxWaitMs = longestWaitMs }: RetrySettings = {}) =>
  flowFor((operation, input, options) => {
    const retries = { maxWaitMs: Math.min(maxWaitMs, longestWaitMs), ...options?.retries }
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
   * Creates a re-link session for a user who is here now, and comes back as after `begin`. Make sure that the connection
   * is this user's. For a URL that you send to somebody there is `connections.createRelinkSession`.
   */
  async beginRelink(connectionId: string, request: RelinkRequest, options?: CallOptions): Promise<ConnectStart> {
    const { verifier, completionChallenge } = newChallenge()
    const body = { ...request, completionChallenge }
    return startOf(await send('createRelinkSession', { params: { connectionId }, body }, options), verifier)
  },

  /**
   * Returns the link that the user's browser came back with; `status` says what became of it. Everything in it is from
   * the API and nothing from the query, which anybody could have written. Throws ReturnError if the browser that came
   * back is not the one that set out.
   */
  async finish(query: ReturnQuery, state: string | undefined, options?: CallOptions): Promise<LinkOutcome> {
    const result = resultIn(query)
    const { id, verifier } = readState(state)
    if (result.get('connect_session_id') !== id) {
      throw new ReturnError('state_mismatch', 'This browser came back from another connect session than it began.')
    }
    const completionCode = result.get('completion_code')
    if (!completionCode) return readLink(send, id, options)
    const body = { completionCode, completionVerifier: verifier }
    try {
      const params = { connectSessionId: id }
      return (await send('completeConnectSession', { params, body }, options)) as LinkOutcome
    } catch (error) {
      // The page was loaded twice: the first time counts.
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
  if (!state) throw new ReturnError('state_missing', 'There is no state in this session: the user has to start again.')
  const [form, id, verifier] = state.split('.')
  if (form !== 'cws1' || !id || !verifier) throw new ReturnError('state_unreadable', 'This is no state of `begin`.')
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
  const words = 'There is no connect_session_id in the query: this page is for browsers that come back from Causeway.'
  throw new ReturnError('query_missing', words)
}

/** Nothing, the whole request, or a promise of the query. */
const isMistaken = (query: unknown): boolean =>
  query === undefined ||
  query === null ||
  (typeof query === 'object' && ('then' in query || ('headers' in query && typeof query.headers === 'object')))

function paramsOf(query: ReturnQuery): URLSearchParams {
  if (query instanceof URLSearchParams) return query
  if (query instanceof URL) return query.searchParams
  if (typeof query === 'string') return new URLSearchParams(query.slice(query.indexOf('?') + 1))
  // Frameworks make a list of what is there twice, and that is nothing of ours.
  const texts = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return new URLSearchParams(texts)
}
