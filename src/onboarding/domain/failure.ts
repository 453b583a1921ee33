// Docs, messages, OpenAPI and client types are generated from these entries (`npm run generate`).
import { consoleFailures } from './failures/console-failures.ts'
import type { FailureEntry, PageWords } from './failures/failure-entry.ts'
import { linkingFailures } from './failures/linking-failures.ts'
import { requestFailures } from './failures/request-failures.ts'
import { resourceFailures } from './failures/resource-failures.ts'
import { firstError, type InputError } from './input-error.ts'

export type { FailureEntry }

export const failures = { ...requestFailures, ...consoleFailures, ...linkingFailures, ...resourceFailures }

export type FailureCode = keyof typeof failures

export const failureCodes = Object.keys(failures) as [FailureCode, ...FailureCode[]]

export const failureEntry = (code: FailureCode): FailureEntry => failures[code]

/** Words of error pages for end users that no code has. `rejected` is for codes without `forUser`. */
export const otherPageWords = {
  cookie_missing: {
    title: 'We don’t recognize this browser',
    detail: 'It didn’t send the cookie we set when you started, so we can’t tell that it’s you.',
    advice: 'Allow cookies for this site, then go back to the app you came from and try again.',
  },
  other_app: {
    title: 'This response belongs to another app',
    detail: 'It doesn’t come from the app you wanted to connect, so nothing was connected.',
    advice:
      'Go back to the app you came from and try again. If it keeps happening, contact the team that sent you here.',
  },
  ended_connected: {
    title: '{app} is already connected',
    detail: 'It is connected to {tenant}.',
    advice: 'You can close this page.',
  },
  ended_elsewhere: {
    title: 'This link is open in another window',
    detail: 'Continue in the window where you started.',
    advice: 'If you closed it, go back to {tenant} and try again.',
  },
  ended_used: {
    title: 'This link was already used',
    detail: 'Each link works once.',
    advice: 'Go back to {tenant} and try again.',
  },
  ended_cancelled: {
    title: 'This link was cancelled',
    detail: 'Nothing was connected.',
    advice: 'Go back to {tenant} and try again.',
  },
  ended_expired: {
    title: 'This link has expired',
    detail: 'Nothing was connected.',
    advice: 'Go back to {tenant} and try again, or ask for a new link.',
  },
  limit_reached: {
    title: 'You can’t connect another {app} account',
    detail: 'You’ve reached the limit of {limit, plural, one {# {app} account} other {# {app} accounts}}.',
    advice: 'Disconnect one in {tenant}, then try again.',
  },
  rejected: {
    title: 'This request was rejected',
    detail: 'It can’t be done here. Nothing was changed.',
    advice: 'Go back to the previous page.',
  },
} satisfies Record<string, PageWords>

/** `detail` is for the caller; `cause` is for the log only. */
export class Failure extends Error {
  constructor(
    readonly code: FailureCode,
    readonly detail: string,
    readonly more: FailureDetails = {},
  ) {
    super(`${code}: ${detail}`, { cause: more.cause })
  }
}

export type FailureDetails = {
  errors?: InputError[]
  retryAfterSeconds?: number
  cause?: unknown
  /** Selects the words of the error page if the code is too general. */
  variant?: 'cookie_missing' | 'other_app'
  /** Tenant that owns the requested resource. For the audit; never sent to the caller. */
  owner?: string
}

export const requestInvalid = (...errors: InputError[]) =>
  new Failure('input_invalid', firstError(errors) ?? 'The request is not valid.', { errors })

/** Another tenant's resource is answered exactly like a missing one. */
export const missing = (what: string, owner?: string) =>
  new Failure('not_found', `There is no such ${what}.`, owner === undefined ? {} : { owner })
