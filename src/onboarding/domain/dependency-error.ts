import type { Cause } from './cause.ts'

export class DependencyError extends Error {
  readonly retry: Retry | undefined
  /** The failed part. Text of the other side only as an error code or an event of the platform. */
  readonly detail: string
  /** A stored token response without a token: there is nothing to revoke. */
  readonly isWithoutGrant: boolean

  constructor(
    override readonly cause: Cause,
    { retry, detail = '', isWithoutGrant = false }: Options = {},
  ) {
    super(detail ? `${cause}: ${detail}` : cause)
    this.retry = retry
    this.detail = detail
    this.isWithoutGrant = isWithoutGrant
  }
}

export const errorFacts = ({ cause, detail }: DependencyError) => ({ cause, detail: detail || undefined })

type Options = { retry?: Retry | undefined; detail?: string | undefined; isWithoutGrant?: boolean }

type Retry = { afterSeconds?: number | undefined }

const fewTries = 3

/** A new function, or a new key, may take minutes to become available. */
const manyTries = 10

export const isPastPatience = ({ attempts }: { attempts: number }, { cause }: DependencyError): boolean =>
  (cause === 'function_failed' || cause === 'sealed_unreadable') && attempts >= manyTries

/** A wrong setting is not a failed attempt: waiting for the operator must not exhaust the retries. */
const countsAsAttempt = (cause: Cause): boolean => cause !== 'platform_misconfigured'

export const attemptsAfter = (attempts: number, cause: Cause): number =>
  countsAsAttempt(cause) ? attempts + 1 : Math.max(attempts, 1)

export const isFinal = ({ attempts }: { attempts: number }, { retry, cause }: DependencyError): boolean =>
  !retry || (cause === 'function_failed' && attempts >= fewTries)

/** For what is read again when the other server is back. The outage is reported elsewhere. */
export function noneIfAway(error: unknown): never[] {
  if (!(error instanceof DependencyError)) throw error
  return []
}
