// Using a new grant once, to see whether it works. What comes back is kept in escrow before anybody reads it.
import type { Secret } from '../../../kit/crypto/secret.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import type { RefreshOutcome } from '../../domain/ports/provider.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { throughFailover } from '../../flows/through-failover.ts'
import type { ProvisionNeeds, StepContext } from './decision.ts'
import { LostLink } from './fence.ts'

export async function refreshOnce({ needs, ready }: StepContext, link: Link, raw: Secret): Promise<RefreshOutcome> {
  const keep = (answer: Secret) => keepTrialRefresh(needs, link, answer)
  return needs.provider.refresh({ ...ready, raw, keep }).catch((error) => {
    throw error instanceof DependencyError ? ofTrial(error, ready.integration) : error
  })
}

/** The answer may hold the only token that is still good. */
export async function keepTrialRefresh(needs: ProvisionNeeds, link: Link, answer: Secret): Promise<void> {
  const sealed = needs.seal.seal(answer, sealContext.trialRefresh(link))
  if (!(await throughFailover(needs, () => needs.links.keepTrialRefresh(link, sealed)))) throw new LostLink()
}

/** A token that may have been replaced in an answer which was lost is worth nothing; one that never is can be sent again. */
function ofTrial(error: DependencyError, { rotation }: Integration): DependencyError {
  const isLost = error.cause === 'exchange_unknown'
  if (isLost && rotation === 'none') {
    return new DependencyError('provider_unavailable', { retry: {}, detail: error.detail })
  }
  return isLost || error.cause === 'grant_revoked' || error.cause === 'refresh_refused'
    ? new DependencyError('grant_unusable', { detail: error.cause })
    : error
}
