import { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import { GatewayError, type GatewayErrorCode } from '../../../../contract/error-bodies.ts'
import { IssuedAccessToken } from '../../../../contract/gateway/access-token.ts'
import { type BrandedHeaders, bearer, plainHeaders } from '../../../../contract/headers.ts'
import { Secret } from '../../../../kit/crypto/secret.ts'
import { retryAfterSeconds } from '../../../../kit/fetch/retry-after.ts'
import { hopByHop, withoutHeaders } from '../../../../kit/streams/passed-headers.ts'
import { Failure, type FailureCode } from '../../../domain/failure.ts'
import type { FunctionRelay } from '../../../domain/ports/function-relay.ts'
import { assertPlatformOrigin, type PlatformAddress } from './platform-http.ts'

/** The platform limits how long a third party may be silent. */
const silentMs = 300_000

const maxErrorBytes = 64 * 1024

/** Streams a request through the relay of a function. The platform removes headers that third parties must not get. */
export function functionRelay(headers: BrandedHeaders, address: PlatformAddress): FunctionRelay {
  const dispatcher = new Agent({
    connections: 256,
    headersTimeout: silentMs,
    bodyTimeout: silentMs,
    keepAliveTimeout: 30_000,
    connect: { timeout: 5_000 },
  })
  const source = headers.source.toLowerCase()
  const branded = Object.values(headers).map((name) => name.toLowerCase())
  const keptHere = new Set([...hopByHop, ...branded, 'authorization', 'expect', 'host'])
  return {
    async send({ functionUrl, path, method, headers: given, body, signal }) {
      assertPlatformOrigin(functionUrl, address)
      const { origin, pathname } = new URL(functionUrl)
      const answer = await dispatcher
        .request({
          origin,
          path: `${pathname}/relay/${path}`,
          method: method as Dispatcher.HttpMethod,
          headers: {
            ...withoutHeaders(given, keptHere),
            [headers.authorization.toLowerCase()]: bearer(address.apiKey.reveal()),
          },
          body: body && Readable.from(body, { objectMode: false }),
          signal,
        })
        .catch((cause) => Promise.reject(unavailable(cause)))
      // Only a response of the third party is passed on.
      if (answer.headers[source] !== 'workload') throw await refusalOf(answer)
      const answered = withoutHeaders(answer.headers, keptHere)
      return { status: answer.statusCode, headers: answered, body: answer.body }
    },
    async issueToken(functionUrl, host) {
      assertPlatformOrigin(functionUrl, address)
      const { origin, pathname } = new URL(functionUrl)
      const answer = await dispatcher
        .request({
          origin,
          path: `${pathname}/access-tokens/${encodeURIComponent(host)}`,
          method: 'POST',
          headers: { [headers.authorization.toLowerCase()]: bearer(address.apiKey.reveal()) },
        })
        .catch((cause) => Promise.reject(unavailable(cause)))
      if (answer.statusCode !== 200) throw await refusalOf(answer, { FORBIDDEN: 'access_tokens_refused' })
      const { data } = IssuedAccessToken.safeParse(await readBounded(answer.body))
      if (!data) throw unavailable()
      return { ...data, accessToken: new Secret(data.accessToken), expiresAt: new Date(data.expiresAt) }
    },
  }
}

const unavailable = (cause?: unknown) =>
  new Failure('platform_unavailable', 'The platform is not responding as expected.', { cause })

const refusals: Partial<Record<GatewayErrorCode, FailureCode>> = {
  BAD_REQUEST: 'input_invalid',
  FORBIDDEN: 'relay_refused',
  APPROVAL_REQUIRED: 'approval_required',
  REQUEST_ENTITY_TOO_LARGE: 'body_too_large',
  TOO_MANY_REQUESTS: 'rate_limited',
  CONNECTION_UNUSABLE: 'account_unusable',
}

async function refusalOf({ headers, body }: Dispatcher.ResponseData, others: typeof refusals = {}): Promise<Failure> {
  const { data } = GatewayError.safeParse(await readBounded(body))
  const code = data && { ...refusals, ...others }[data.error.code]
  if (!data || !code) return unavailable()
  const { message, retryable } = data.error
  const wait = headers[plainHeaders.retryAfter.toLowerCase()]
  const seconds = retryAfterSeconds(wait, Date.now())
  const isPassing = code === 'account_unusable' && retryable
  return new Failure(isPassing ? 'app_unavailable' : code, message, {
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  })
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > maxErrorBytes) return undefined
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}
