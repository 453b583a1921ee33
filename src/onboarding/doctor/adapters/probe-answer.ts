import { z } from 'zod'
import { describeConnection, isCertificateProblem } from '../../../kit/fetch/connection-problem.ts'
import { type Answer, FetchError } from '../../../kit/fetch/guarded-fetch.ts'
import type { ProbeResult } from '../../domain/doctor/probe.ts'
import type { PublishedEndpoints } from '../../domain/doctor/published-facts.ts'

/** `errorMember`: the member in which this provider sends its error code, if not `error`. */
export const answerOf =
  (errorMember: string | undefined) =>
  ({ status, headers, body }: Answer): ProbeResult => {
    const text = body.toString()
    const date = new Date(headers.date ?? '')
    return {
      status,
      date: Number.isNaN(date.getTime()) ? undefined : date,
      ...errorIn(text, errorMember),
      location: headers.location || undefined,
      text,
    }
  }

const ErrorBody = z.record(z.string(), z.unknown())

function errorIn(text: string, errorMember: string | undefined) {
  // GitHub answers with a form unless the client asks for JSON.
  const { data = {} } = ErrorBody.safeParse(jsonIn(text) ?? Object.fromEntries(new URLSearchParams(text)))
  const member = (path: string): string | undefined => {
    const value = path.split('.').reduce<unknown>((at, name) => ErrorBody.safeParse(at).data?.[name], data)
    return typeof value === 'string' ? value : undefined
  }
  const error = (errorMember === undefined ? undefined : member(errorMember)) ?? member('error') ?? member('ECODE')
  return { error, description: member('error_description') }
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const Metadata = z.looseObject({ authorization_endpoint: z.string().optional(), token_endpoint: z.string().optional() })

export function publishedIn(text: string): PublishedEndpoints | undefined {
  const { data } = Metadata.safeParse(jsonIn(text))
  if (!data) return undefined
  return {
    ...(data.authorization_endpoint && { authorization: data.authorization_endpoint }),
    ...(data.token_endpoint && { token: data.token_endpoint }),
  }
}

export function silenceOf(error: unknown): ProbeResult {
  if (!(error instanceof FetchError)) throw error
  const { kind, code } = error
  const isOurs = kind === 'blocked' || code === 'ENOTFOUND' || isCertificateProblem(code)
  const words = kind === 'blocked' ? 'Calls to this address are not allowed' : describeConnection(code) || kind
  return { reason: words, isOurs, ...(kind === 'blocked' && { isUnasked: true, isBlocked: true }) }
}
