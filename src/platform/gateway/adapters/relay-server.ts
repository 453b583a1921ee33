import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { Agent } from 'undici'
import { Failure } from '../../shared/domain/failure.ts'
import type { SendRelayed } from '../domain/ports.ts'
import { byteMask } from '../domain/relay/byte-mask.ts'
import type { Bytes, Headers } from '../domain/workload.ts'
import { answerOf, isTimeout } from './http-runtime.ts'

/** `silentForMs` limits the time to the response headers and between two chunks. */
export function relayServer({ silentForMs }: { silentForMs: number }) {
  const dispatcher = new Agent({
    connections: 256,
    headersTimeout: silentForMs,
    bodyTimeout: silentForMs,
    keepAliveTimeout: 30_000,
    connect: { timeout: 5_000 },
  })
  const send: SendRelayed = async ({ url, secrets, displayName, ...request }) => {
    const describe = (error: unknown) =>
      new Failure(
        'third_party_unavailable',
        `${displayName} ${isTimeout(error) ? 'did not answer in time' : 'could not be reached'}.`,
        {
          cause: error,
        },
      )
    const filterFor = (headers: Headers) => (encodingOf(headers) === undefined ? byteMask(secrets) : undefined)
    const place = { origin: url.origin, path: url.pathname + url.search }
    const answer = await answerOf(dispatcher, place, request, { filterFor, describe })
    const encoding = encodingOf(answer.headers)
    const hasBody = request.method !== 'HEAD' && answer.status !== 204 && answer.status !== 304
    if (encoding === undefined || !hasBody) return answer
    const { 'content-encoding': _, 'content-length': __, ...headers } = answer.headers
    return { ...answer, headers, body: masked(await decoded(answer.body, encoding, displayName), secrets) }
  }
  return { send, close: () => dispatcher.destroy() }
}

/** A transfer coding besides `chunked` was not requested, and is not decoded by the HTTP client. */
function encodingOf({ 'content-encoding': encoding, 'transfer-encoding': transfer = '' }: Headers): string | undefined {
  const coding = String(transfer).trim().toLowerCase()
  if (coding !== '' && coding !== 'chunked') return coding
  const name = String(encoding ?? 'identity')
    .trim()
    .toLowerCase()
  return name === 'identity' || name === '' ? undefined : name
}

const decoders: Record<string, (() => zlib.Gunzip) | undefined> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
}

/** Sent although `identity` was requested. */
async function decoded(body: Bytes, encoding: string, displayName: string): Promise<Bytes> {
  const decoder = decoders[encoding]?.()
  if (!decoder) {
    await body[Symbol.asyncIterator]().return?.()
    throw new Failure(
      'third_party_unavailable',
      `${displayName} returned the unsupported content encoding ${encoding}.`,
    )
  }
  const source = Readable.from(body, { objectMode: false })
  source.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => source.destroy())
  return source.pipe(decoder)
}

async function* masked(body: Bytes, secrets: readonly string[]): Bytes {
  const mask = byteMask(secrets)
  for await (const chunk of body) {
    const shown = mask.push(chunk)
    if (shown.length > 0) yield shown
  }
  const rest = mask.end()
  if (rest.length > 0) yield rest
}
