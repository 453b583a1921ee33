// What follows when an imported link cannot go on.
import type { Cause } from '../../../domain/cause.ts'
import type { DependencyError } from '../../../domain/dependency-error.ts'
import { isClientCause } from '../../../domain/doctor/signals.ts'
import type { Link, ProvisioningState } from '../../../domain/link.ts'
import type { Fail, Park, StepContext } from '../decision.ts'
import { mayHaveRotated } from '../escrowed-grant.ts'

/** Returns undefined if the failure means the same for an import as for a first link. */
export function onImportFailure(link: Link & { state: ProvisioningState }, error: DependencyError): Park | undefined {
  const isTrial = link.state === 'escrowed' || link.state === 'testing'
  const isMendable = isClientCause(error.cause) || mendable.has(error.cause)
  if (!isTrial || error.retry || !isMendable) return undefined
  // The token may be good. Somebody puts the client or the profile right, and then it is tried again.
  const facts = { detail: error.detail || undefined }
  return { kind: 'park', cause: error.cause, resumeFrom: 'escrowed', facts }
}

const mendable: ReadonlySet<Cause> = new Set<Cause>(['refresh_refused', 'profile_mismatch', 'address_blocked'])

/**
 * What was not granted here is not revoked here: the tenant's own copy works as before. Where the provider has replaced
 * the token, the only good one is ours, and it stays sealed until somebody has looked.
 */
export async function failImported(
  context: StepContext,
  link: Link & { state: ProvisioningState },
  { cause, changes, facts }: Fail,
): Promise<Fail | Park> {
  if (await mayHaveRotated(context, link)) return { kind: 'park', cause, changes, resumeFrom: 'testing' }
  // After an answer that was lost nobody can tell whether the tenant's copy is still good.
  const told = cause === 'exchange_unknown' ? facts : { ...facts, grant: 'shared' as const }
  return { kind: 'fail', cause, revoke: false, changes, facts: told }
}
