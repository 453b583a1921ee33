import type { Cause } from './cause.ts'

/** A server we depend on did not do its part. */
export class DependencyError extends Error {
  /** Whether trying again can help, and how long the other side asks to wait. Undefined if it cannot. */
  readonly retry: Retry | undefined
  /**
   * Which part of the request it was; of what the other side wrote only the platform's own event of a function, and a
   * provider's error code.
   */
  readonly detail: string
  /** An answer to the token request that was kept and holds no token: nothing has to be revoked. */
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

/** What the audit says of it. */
export const errorFacts = ({ cause, detail }: DependencyError) => ({ cause, detail: detail || undefined })

type Options = { retry?: Retry | undefined; detail?: string | undefined; isWithoutGrant?: boolean }

type Retry = { afterSeconds?: number | undefined }

/** A function that was there before and refuses to answer is given a few tries. */
const fewTries = 3

/** A new one may take minutes to start, and so may a key to be loaded everywhere. Then somebody has to look at it. */
const manyTries = 10

export const isPastPatience = ({ attempts }: { attempts: number }, { cause }: DependencyError): boolean =>
  (cause === 'function_failed' || cause === 'sealed_unreadable') && attempts >= manyTries

/** A setting that is wrong is nobody's failed try: what waits for the operator must not use up its patience. */
export const countsAsAttempt = (cause: Cause): boolean => cause !== 'platform_misconfigured'

/** How many tries there were, with this one. */
export const attemptsAfter = (attempts: number, cause: Cause): number =>
  countsAsAttempt(cause) ? attempts + 1 : Math.max(attempts, 1)

/** Whether what was begun with a connection has to be undone. */
export const isFinal = ({ attempts }: { attempts: number }, { retry, cause }: DependencyError): boolean =>
  !retry || (cause === 'function_failed' && attempts >= fewTries)
