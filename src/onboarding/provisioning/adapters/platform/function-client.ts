// Functions of a platform speak the same protocol revisions, so the revision of one is remembered for the others.
import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { ToolErrorMeta } from '../../../../contract/gateway/tool-result.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { boundedFetch, forgetListing, timeout } from './function-fetch.ts'

const revisions = new Map<string, PriorDiscovery>()

export type Target = { url: URL; headers: Record<string, string> }

type Question<T> = (client: Client) => Promise<T>

export async function askFunction<T>(target: Target, question: Question<T>): Promise<T> {
  const known = revisions.get(target.url.origin)
  if (!known) return askUnknown(target, question)
  try {
    return await ask(target, known, question)
  } catch (error) {
    if (!mayBeTheRevision(error)) throw error
    revisions.delete(target.url.origin)
    forgetListing(target.url.origin)
    return askUnknown(target, question)
  }
}

async function askUnknown<T>(target: Target, question: Question<T>): Promise<T> {
  try {
    return await ask(target, undefined, question)
  } catch (error) {
    const failsAtDiscovery = error instanceof SdkHttpError && error.code === SdkErrorCode.EraNegotiationFailed
    if (!failsAtDiscovery || error.status < 500) throw error
    return ask(target, { kind: 'legacy' }, question)
  }
}

async function ask<T>({ url, headers }: Target, known: PriorDiscovery | undefined, question: Question<T>): Promise<T> {
  const client = new Client({ name: 'causeway', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StreamableHTTPClientTransport(url, { fetch: boundedFetch, requestInit: { headers } })
  try {
    await client.connect(transport, { timeout, ...(known && { prior: known }) })
    const answer = await question(client)
    revisions.set(url.origin, known ?? revisionOf(client))
    return answer
  } finally {
    await client.close().catch(ignoreError('what it was opened for is known already'))
  }
}

function revisionOf(client: Client): PriorDiscovery {
  const discover = client.getDiscoverResult()
  return discover ? { kind: 'modern', discover } : { kind: 'legacy' }
}

/** A platform that was upgraded or rolled back rejects the remembered revision. */
function mayBeTheRevision(error: unknown): boolean {
  if (error instanceof SdkHttpError) return [400, 404, 405].includes(error.status)
  if (error instanceof SdkError) return error.code === SdkErrorCode.EraNegotiationFailed
  // Errors of the third party behind a function say nothing about the function.
  return error instanceof ProtocolError && !ToolErrorMeta.safeParse(error.data).success
}
