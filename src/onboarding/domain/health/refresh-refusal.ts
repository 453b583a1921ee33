// What it means that a provider did not refresh a grant. Not all refuse as RFC 6749, section 5.2, asks for: a dead grant
// may be told by a page, or by nothing at all. docs/reference/health-checks.md has the same table; a test compares them.
import type { Cause } from '../cause.ts'
import { DependencyError } from '../dependency-error.ts'
import type { Finding } from './health.ts'

type Meaning = { first: Finding; again: Finding }

const broken = (cause: Cause): Finding => ({ outcome: 'broken', cause })
const unclear = (cause: Cause): Finding => ({ outcome: 'unclear', cause })
const always = (finding: Finding): Meaning => ({ first: finding, again: finding })

/** `first`: nothing of the kind since the grant last worked. `again`: every time after that. */
export const refreshRefusals = {
  /** An error that names the grant, or one that we do not know, with whatever status. */
  grant_rejected: always(broken('grant_revoked')),
  client_rejected: always(broken('client_rejected')),
  /** RFC 6749, section 5.2: it is the request that is at fault, which is made as the profile says. */
  request_rejected: always(unclear('profile_mismatch')),
  /** 400 or 401 without an error: once it may be a fault on the way, twice it is the provider's answer. */
  unexplained: { first: unclear('refresh_refused'), again: broken('grant_revoked') },
  /** Firewalls answer 403, and everybody at once: it must not break every connection of an integration. */
  forbidden: always(unclear('refresh_refused')),
  not_found: always(unclear('refresh_refused')),
  redirected: always(unclear('refresh_refused')),
  throttled: always(unclear('provider_unavailable')),
  server_error: always(unclear('provider_unavailable')),
  unanswered: always(unclear('provider_unavailable')),
  unreachable: always(unclear('provider_unavailable')),
  /** Nothing was sent: this deployment does not call the address. */
  blocked: always(unclear('address_blocked')),
  unreadable_success: always(unclear('answer_malformed')),
} as const satisfies Record<string, Meaning>

export type RefreshRefusal = keyof typeof refreshRefusals

/** A refresh that brought no token. `cause` and `retry` are for whoever does not ask for the kind of refusal. */
export class RefreshRefused extends DependencyError {
  constructor(
    readonly refusal: RefreshRefusal,
    { cause, retry, detail }: Pick<DependencyError, 'cause' | 'retry' | 'detail'>,
  ) {
    super(cause, { retry, detail })
  }
}

/** `earlier`: how many unexplained refusals there were since the grant last worked. */
export function judgeRefusal(refusal: RefreshRefusal, earlier: number, detail?: string): Finding {
  const { first, again } = refreshRefusals[refusal]
  return { ...(earlier === 0 ? first : again), detail, isUnexplained: refusal === 'unexplained' }
}

/** By status, where the answer has no error that can be read. */
export function refusalByStatus(status: number): RefreshRefusal {
  if (status === 400 || status === 401) return 'unexplained'
  if (status === 403) return 'forbidden'
  if (status === 429) return 'throttled'
  if (status >= 500) return 'server_error'
  if (status >= 300 && status < 400) return 'redirected'
  return status >= 400 ? 'not_found' : 'unreadable_success'
}
