import { connectionCode } from '../../../kit/fetch/connection-problem.ts'
import { FetchError, type GuardedFetch } from '../../../kit/fetch/guarded-fetch.ts'
import type { NoteCall, OutsideCallName } from '../../domain/trace/outside-call.ts'

type Outcome = { status?: number | undefined; error?: string | undefined }

export async function noted<T>(
  note: NoteCall | undefined,
  call: OutsideCallName,
  send: () => Promise<T>,
  { of, failed = failure }: { of: (answer: T) => Outcome; failed?: (error: unknown) => Outcome },
): Promise<T> {
  if (!note) return send()
  const at = new Date()
  const startedAt = performance.now()
  const end = ({ status, error }: Outcome) =>
    note({ call, at, status, error, durationMs: Math.round(performance.now() - startedAt) })
  try {
    const answer = await send()
    end(of(answer))
    return answer
  } catch (error) {
    end(failed(error))
    throw error
  }
}

export const statusOf = ({ status }: { status: number }): Outcome => ({ status })

/** An error's message may contain an address, its code does not. */
export function failure(error: unknown): Outcome {
  if (error instanceof FetchError)
    return { error: connectionCode(error) ?? (error.code === 'timeout' ? 'timeout' : error.kind) }
  return { error: connectionCode(error) ?? 'no_answer' }
}

export const notingFetch = (fetch: GuardedFetch, note: NoteCall | undefined, call: OutsideCallName): GuardedFetch =>
  note
    ? Object.assign<GuardedFetchCall, Pick<GuardedFetch, 'mayCall' | 'close'>>(
        (url, options) => noted(note, call, () => fetch(url, options), { of: statusOf }),
        { mayCall: fetch.mayCall, close: fetch.close },
      )
    : fetch

type GuardedFetchCall = (...args: Parameters<GuardedFetch>) => ReturnType<GuardedFetch>
