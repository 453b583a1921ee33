// A test compares this table with docs/reference/health-checks.md.
import type { Cause } from '../cause.ts'
import { DependencyError } from '../dependency-error.ts'
import type { Finding } from './health.ts'

const broken = (cause: Cause): Finding => ({ outcome: 'broken', cause })
const unclear = (cause: Cause): Finding => ({ outcome: 'unclear', cause })

export const refreshRefusals = {
  /** Any status, with an error that names the grant or is unknown. */
  grant_rejected: broken('grant_revoked'),
  client_rejected: broken('client_rejected'),
  /** RFC 6749, section 5.2: the request is wrong, and it is built from the profile. */
  request_rejected: unclear('profile_mismatch'),
  /** 400 or 401 without an error: judged with what is known of the client (unexplained-refusal.ts). */
  unexplained: { ...unclear('refresh_refused'), isUnexplained: true },
  /** Firewalls answer 403 to all requests at once. That must not break every connection. */
  forbidden: unclear('refresh_refused'),
  not_found: unclear('refresh_refused'),
  redirected: unclear('refresh_refused'),
  throttled: unclear('provider_unavailable'),
  server_error: unclear('provider_unavailable'),
  unanswered: unclear('provider_unavailable'),
  unreachable: unclear('provider_unavailable'),
  blocked: unclear('address_blocked'),
  unreadable_success: unclear('answer_malformed'),
} as const satisfies Record<string, Finding>

export type RefreshRefusal = keyof typeof refreshRefusals

export class RefreshRefused extends DependencyError {
  constructor(
    readonly refusal: RefreshRefusal,
    { cause, retry, detail }: Pick<DependencyError, 'cause' | 'retry' | 'detail'>,
  ) {
    super(cause, { retry, detail })
  }
}

export const judgeRefusal = (refusal: RefreshRefusal, detail?: string): Finding => ({
  ...refreshRefusals[refusal],
  detail,
})

export function refusalByStatus(status: number): RefreshRefusal {
  if (status === 400 || status === 401) return 'unexplained'
  if (status === 403) return 'forbidden'
  if (status === 429) return 'throttled'
  if (status >= 500) return 'server_error'
  if (status >= 300 && status < 400) return 'redirected'
  return status >= 400 ? 'not_found' : 'unreadable_success'
}
