// One login at a vendor's server, by whichever transport and protocol it speaks.
import {
  Client,
  type FetchLike,
  type JSONRPCMessage,
  type ReconnectionScheduler,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Secret } from '../../../../kit/crypto/secret.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import type { Exchange, VendorTarget } from '../../domain/vendor/vendor-mcp.ts'
import { clientCapabilities, clientInfo, type DirectLine, directLine } from './direct-line.ts'
import type { DirectPost } from './direct-post.ts'
import { linkedGrant } from './linked-grant.ts'
import { resumptions } from './message-limits.ts'
import { withModestMessages } from './modest-messages.ts'

export type VendorLogin = {
  client: Client
  /** The tokens that were sent to the server. */
  tokens: Secret<string[]>
  /** Requests under way, the latest last. */
  exchanges: Set<Exchange>
  /** From which severity the server's log was asked for. */
  logLevel: string | undefined
  /** For calls that need nothing of the client. Undefined where the transport is the oldest one. */
  direct: DirectLine | undefined
  /** Without a session, or with one that is gone after this. */
  end(): Promise<void>
}

export type Fetches = { requests: FetchLike; listening: FetchLike; post: DirectPost }

type Age = 'auto' | 'legacy' | 'sse'

/** A server that does not know what it is asked may be an older one: each age is tried as its specification says. */
export async function openLogin(target: VendorTarget, fetches: Fetches, timeout: number): Promise<VendorLogin> {
  let failure: unknown
  for (const age of ['auto', 'legacy', 'sse'] as const) {
    if (failure !== undefined && !mayBe(age, failure)) continue
    try {
      return await connect(age, target, fetches, timeout)
    } catch (error) {
      // What the oldest transport says tells nothing about a server that has a newer one.
      if (failure === undefined || age === 'legacy') failure = error
    }
  }
  throw failure
}

/**
 * Some older servers fail at a method they do not know (2026-07-28 asks for it first). Streamable HTTP, "Backwards
 * Compatibility": 400, 404 and 405 to a POST may mean that there is only the transport of 2024-11-05.
 */
function mayBe(age: Age, failure: unknown): boolean {
  if (!(failure instanceof SdkHttpError)) return false
  if (age === 'legacy') return failure.status >= 500 && failure.code === SdkErrorCode.EraNegotiationFailed
  return [400, 404, 405].includes(failure.status)
}

async function connect(age: Age, target: VendorTarget, fetches: Fetches, timeout: number): Promise<VendorLogin> {
  const client = newClient(age)
  const exchanges = new Set<Exchange>()
  client.setNotificationHandler('notifications/message', ({ params }) => listenerOf(exchanges)?.onLog?.({ ...params }))
  const url = new URL(target.url)
  const tokens = new Secret<string[]>([])
  const authProvider = linkedGrant(target, tokens)
  let isOpening = true
  const transport =
    age === 'sse'
      ? new SSEClientTransport(url, { authProvider, fetch: fetches.listening })
      : new StreamableHTTPClientTransport(url, {
          authProvider,
          fetch: fetches.requests,
          onInsufficientScope: 'throw',
          reconnectionScheduler: resumeWhile(() => isOpening || exchanges.size > 0),
        })
  const direct =
    transport instanceof StreamableHTTPClientTransport
      ? directLine({ url, client, transport, grant: authProvider, post: fetches.post })
      : undefined
  const take = (message: JSONRPCMessage) => direct?.take(message) ?? false
  const connected = client.connect(withModestMessages(transport, take), { timeout })
  await inTime(connected, timeout).catch(async (error) => {
    await client.close().catch(ignoreError('it was never open'))
    throw error
  })
  isOpening = false
  return {
    client,
    tokens,
    exchanges,
    logLevel: undefined,
    direct,
    async end() {
      if ('terminateSession' in transport) await transport.terminateSession()
      await client.close()
    },
  }
}

const pauseMs = { least: 1_000, most: 60_000 }

/**
 * A server that ends its answers early is asked for the rest, as often and as soon as it likes: the library does not
 * count, and does not know when nobody waits any more.
 */
function resumeWhile(isAwaited: () => boolean): ReconnectionScheduler {
  const mayResume = resumptions()
  return (resume, askedMs) => {
    const afterMs = Math.min(Math.max(askedMs, pauseMs.least), pauseMs.most)
    const timer = setTimeout(() => isAwaited() && mayResume() && resume(), afterMs)
    return () => clearTimeout(timer)
  }
}

/** The oldest transport waits for the address of its other half as long as the server likes. */
function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new SdkError(SdkErrorCode.RequestTimeout, 'connecting took too long'))
    const timer = setTimeout(late, ms * 2)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const newClient = (age: Age) =>
  new Client(clientInfo, {
    capabilities: clientCapabilities,
    versionNegotiation: { mode: age === 'auto' ? 'auto' : 'legacy' },
    // Clients hold results against the schemas they were shown; compiling a vendor's schemas here would only cost.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  })

/** A log entry does not say which request it is about: with several under way it is nobody's. */
function listenerOf(exchanges: ReadonlySet<Exchange>): Exchange | undefined {
  const [first, ...others] = exchanges
  const isOneClients = first?.session !== undefined
  return isOneClients ? [...exchanges].findLast(({ onLog }) => onLog) : others.length === 0 ? first : undefined
}
