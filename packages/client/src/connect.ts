// The Connect button: sends a user to link an account, and finds out what became of it when the browser is back.
import { createHash, randomBytes } from 'node:crypto'
import { ApiError, ReturnError } from './errors.ts'
import type { CallOptions, Send } from './transport.ts'
import type { Body, Link } from './types.ts'

/** Who links what. `completionChallenge` is made for you. */
export type ConnectRequest = Omit<Body<'createConnectSession'>, 'completionChallenge'>

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

export const connectFlow = (send: Send) => ({
  /** Creates a connect session. */
  async begin(request: ConnectRequest, options?: CallOptions): Promise<ConnectStart> {
    const verifier = randomBytes(32).toString('base64url')
    const completionChallenge = createHash('sha256').update(verifier).digest('base64url')
    const session = await send('createConnectSession', { body: { ...request, completionChallenge } }, options)
    const state = writeState({ id: session.id, verifier })
    return { url: session.url, state, connectSessionId: session.id, expiresAt: session.expiresAt }
  },

  /**
   * Returns the link that the user's browser came back with; `status` says what became of it. Everything in it is from
   * the API and nothing from the query, which anybody could have written. Throws ReturnError if the browser that came
   * back is not the one that set out.
   */
  async finish(query: ReturnQuery, state: string | undefined, options?: CallOptions): Promise<Link> {
    const { id, verifier } = readState(state)
    const result = paramsOf(query)
    if (result.get('connect_session_id') !== id) {
      throw new ReturnError('state_mismatch', 'This browser came back from another connect session than it began.')
    }
    const completionCode = result.get('completion_code')
    if (!completionCode) return readLink(send, id, options)
    const body = { completionCode, completionVerifier: verifier }
    try {
      return await send('completeConnectSession', { params: { connectSessionId: id }, body }, options)
    } catch (error) {
      // The page was loaded twice: the first time counts.
      if (error instanceof ApiError && error.code === 'completion_used') return readLink(send, id, options)
      throw error
    }
  },
})

async function readLink(send: Send, connectSessionId: string, options: CallOptions | undefined): Promise<Link> {
  const { linkId } = await send('getConnectSession', { params: { connectSessionId } }, options)
  if (!linkId) throw new ReturnError('result_missing', 'The user has not started this connect session.')
  return send('getLink', { params: { linkId } }, options)
}

type State = { id: string; verifier: string }

const writeState = ({ id, verifier }: State): string => `cws1.${id}.${verifier}`

function readState(state: string | undefined): State {
  if (!state) throw new ReturnError('state_missing', 'There is no state in this session: the user has to start again.')
  const [form, id, verifier] = state.split('.')
  if (form !== 'cws1' || !id || !verifier) throw new ReturnError('state_unreadable', 'This is no state of `begin`.')
  return { id, verifier }
}

function paramsOf(query: ReturnQuery): URLSearchParams {
  if (query instanceof URLSearchParams) return query
  if (query instanceof URL) return query.searchParams
  if (typeof query === 'string') return new URLSearchParams(query.slice(query.indexOf('?') + 1))
  // Frameworks make a list of what is there twice, and that is nothing of ours.
  const texts = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return new URLSearchParams(texts)
}
