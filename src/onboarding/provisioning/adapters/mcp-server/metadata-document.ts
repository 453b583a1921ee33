// Metadata of an untrusted server: read up to a max size, without redirects.
import type { z } from 'zod'
import { describeConnection } from '../../../../kit/fetch/connection-problem.ts'
import { FetchError, type GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'

const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'causeway' }

export async function metadataAt<S extends z.ZodType>(
  fetch: GuardedFetch,
  url: string,
  { schema, detail }: { schema: S; detail: string },
): Promise<z.output<S> | undefined> {
  const { status, body } = await fetch(url, { headers }).catch((error) => Promise.reject(unreachable(error, detail)))
  if (status === 429 || status >= 500) throw new DependencyError('provider_unavailable', { retry: {}, detail })
  if (status !== 200) return undefined
  const { data } = schema.safeParse(parsed(body))
  if (data === undefined) throw unusable(detail)
  return data
}

export const unusable = (detail: string) => new DependencyError('mcp_metadata_unusable', { detail })

/** Blocked addresses and oversized responses are final. Other network errors are retried. */
export function unreachable(error: unknown, detail: string): unknown {
  if (!(error instanceof FetchError)) return error
  if (error.kind === 'blocked' || error.kind === 'too_large') return unusable(`${detail}: ${error.kind}`)
  const words = describeConnection(error.code) || error.kind
  return new DependencyError('provider_unavailable', { retry: {}, detail: `${detail}: ${words}` })
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
