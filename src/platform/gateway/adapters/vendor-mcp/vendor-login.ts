import {
  Client,
  type FetchLike,
  type ReconnectionScheduler,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Secret } from '../../../../kit/crypto/secret.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import type { InputAsker } from '../../domain/clients/inputs.ts'
import { GrantRevoked, ThirdPartyError } from '../../domain/connection.ts'
import type { Exchange, JsonObject, VendorTarget } from '../../domain/vendor/vendor-mcp.ts'
import { resumptions } from './message-limits.ts'
import { withModestMessages } from './modest-messages.ts'
import { TokenFailure } from './vendor-errors.ts'

export type VendorLogin = {
  client: Client
  tokens: Secret<string[]>
  exchanges: Set<Exchange>
  /** IDs of pages that the client was asked to open. */
  pages: Set<string>
  logLevel: string | undefined
  end(): Promise<void>
}

type Fetches = Record<'requests' | 'asking' | 'oldest', FetchLike>

type Age = 'auto' | 'legacy' | 'sse'

type Opening = { target: VendorTarget; takes: InputAsker['takes'] | undefined; onPageDone(id: string): void }

export async function openLogin(opening: Opening, fetches: Fetches, timeout: number): Promise<VendorLogin> {
  let failure: unknown
  for (const age of ['auto', 'legacy', 'sse'] as const) {
    if (failure !== undefined && !mayBe(age, failure)) continue
    try {
      return await connect(age, opening, fetches, timeout)
    } catch (error) {
      // The error of the oldest transport says nothing about a newer server.
      if (failure === undefined || age === 'legacy') failure = error
    }
  }
  throw failure
}

/**
 * Some older servers fail at the unknown method that 2026-07-28 calls first. Streamable HTTP, "Backwards
 * Compatibility": 400, 404 and 405 to a POST may mean that only the 2024-11-05 transport exists.
 */
function mayBe(age: Age, failure: unknown): boolean {
  if (!(failure instanceof SdkHttpError)) return false
  if (age === 'legacy') return failure.status >= 500 && failure.code === SdkErrorCode.EraNegotiationFailed
  return [400, 404, 405].includes(failure.status)
}

async function connect(
  age: Age,
  { target, takes, onPageDone }: Opening,
  fetches: Fetches,
  timeout: number,
): Promise<VendorLogin> {
  const client = newClient(age, takes)
  const exchanges = new Set<Exchange>()
  const pages = new Set<string>()
  client.setNotificationHandler('notifications/message', ({ params }) => listenerOf(exchanges)?.onLog?.({ ...params }))
  if (takes) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      notePages(pages, [params])
      return askIn(exchanges, { ...params })
    })
    client.setNotificationHandler('notifications/elicitation/complete', ({ params: { elicitationId } }) => {
      if (pages.delete(elicitationId)) onPageDone(elicitationId)
    })
  }
  const url = new URL(target.url)
  const tokens = new Secret<string[]>([])
  const authProvider = linkedGrant(target, tokens)
  let isOpening = true
  const transport =
    age === 'sse'
      ? new SSEClientTransport(url, { authProvider, fetch: fetches.oldest })
      : new StreamableHTTPClientTransport(url, {
          authProvider,
          fetch: takes ? fetches.asking : fetches.requests,
          onInsufficientScope: 'throw',
          reconnectionScheduler: resumeWhile(() => takes !== undefined || isOpening || exchanges.size > 0),
        })
  const connected = client.connect(withModestMessages(transport), { timeout })
  await inTime(connected, timeout).catch(async (error) => {
    await client.close().catch(ignoreError('it was never open'))
    throw error
  })
  isOpening = false
  return {
    client,
    tokens,
    exchanges,
    pages,
    logLevel: undefined,
    async end() {
      try {
        if ('terminateSession' in transport) await transport.terminateSession()
      } finally {
        await client.close()
      }
    },
  }
}

const pauseMs = { min: 1_000, max: 60_000 }

/** The library resumes at any rate that a server asks for, even if no request waits. */
function resumeWhile(isAwaited: () => boolean): ReconnectionScheduler {
  const mayResume = resumptions()
  return (resume, askedMs) => {
    if (!mayResume()) return
    const afterMs = Math.min(Math.max(askedMs, pauseMs.min), pauseMs.max)
    const timer = setTimeout(() => isAwaited() && resume(), afterMs)
    return () => clearTimeout(timer)
  }
}

/** The 2024-11-05 transport has no timeout for the address of its POST endpoint. */
function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new SdkError(SdkErrorCode.RequestTimeout, 'connecting took too long'))
    const timer = setTimeout(late, ms * 2)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Declares what the caller's client declares. Without one there is no user to prompt. */
const newClient = (age: Age, takes: InputAsker['takes'] | undefined) =>
  new Client(
    { name: 'causeway', version: '1.0.0' },
    {
      capabilities: takes ? { elicitation: { ...(takes.forms && { form: {} }), ...(takes.urls && { url: {} }) } } : {},
      inputRequired: { autoFulfill: false },
      versionNegotiation: { mode: age === 'auto' ? 'auto' : 'legacy' },
      // Clients validate results; compiling a vendor's schemas here would only cost time.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  )

/** A log entry does not name its request, so it is dropped if several clients have requests in progress. */
function listenerOf(exchanges: ReadonlySet<Exchange>): Exchange | undefined {
  const [first, ...others] = exchanges
  const isOneClients = first?.session !== undefined
  return isOneClients ? [...exchanges].findLast(({ onLog }) => onLog) : others.length === 0 ? first : undefined
}

/** Before 2026-07-28 a request does not name the call that it belongs to. */
async function askIn(exchanges: ReadonlySet<Exchange>, params: JsonObject): Promise<{ action: 'accept' }> {
  const [asking, ...others] = [...exchanges].flatMap(({ asker }) => asker ?? [])
  if (!asking || others.length > 0) throw new Error('It is not clear which of several calls asks the user.')
  return (await asking.ask(params)) as { action: 'accept' }
}

const maxPages = 64
const maxIdChars = 256

export function notePages(pages: Set<string>, elicitations: unknown): void {
  for (const { elicitationId: id } of Array.isArray(elicitations) ? elicitations.map(Object) : [])
    if (typeof id === 'string' && id.length <= maxIdChars && pages.size < maxPages) pages.add(id)
}

/** Responses in progress may still show earlier tokens. */
const maxTokens = 3

function note(sent: string[], token: string): void {
  if (sent.at(-1) === token) return
  sent.push(token)
  if (sent.length > maxTokens) sent.shift()
}

/** The library asks for a token with each request and calls `onUnauthorized` after a 401. */
function linkedGrant({ token }: VendorTarget, sent: Secret<string[]>) {
  let last: Secret | undefined
  const fetchToken = async (refused?: Secret) => {
    try {
      return await token(refused)
    } catch (error) {
      if (error instanceof GrantRevoked || error instanceof ThirdPartyError) throw error
      throw new TokenFailure('no token', { cause: error })
    }
  }
  return {
    async token() {
      last = await fetchToken()
      note(sent.reveal(), last.reveal())
      return last.reveal()
    },
    async onUnauthorized() {
      await fetchToken(last)
    },
  }
}
