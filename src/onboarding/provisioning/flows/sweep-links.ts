import { worker } from '../../domain/audit/audit.ts'
import { abandonCause, latestStarts } from '../../domain/callback.ts'
import type { Cause } from '../../domain/cause.ts'
import { isProvisioning, type Link, type ProvisioningState } from '../../domain/link.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { endLink } from './end-link.ts'
import { type ProvisionNeeds, type ProvisionSettings, parkLink, provisionLink } from './provision-link.ts'

const batch = { limit: 20, perTenant: 5 }

/** Continues some of the links that are due. Returns how many, so that the caller can ask again. */
export const sweepLinks = (needs: ProvisionNeeds, settings: ProvisionSettings) => async (): Promise<number> => {
  const due = await needs.links.claimDue(batch)
  const resumed = await Promise.allSettled(due.map((link) => resume(needs, settings, link)))
  const broken = resumed.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // its lease runs out, and it is taken up again
  return due.length
}

/** Carries on a link that the caller has claimed. */
export async function resume(needs: ProvisionNeeds, settings: ProvisionSettings, link: Link): Promise<Link> {
  if (isProvisioning(link.state)) {
    const ready = await findClient(needs, link).catch(undefinedIfMissing)
    return ready ? provisionLink(needs, settings)({ link, ready }) : setAside(needs, link, link.state)
  }
  const end = endLink(needs)
  if (link.state === 'code_waiting')
    return end(link, { to: 'abandoned', actor: worker, facts: { cause: 'completion_missing' } })
  // The request was sent, or may have been: sending the code again could void what it granted (RFC 6749 §10.5).
  if (link.state === 'exchanging')
    return end(link, { to: 'exchange_unknown', actor: worker, facts: { cause: 'exchange_unknown' } })
  return end(link, { to: 'abandoned', actor: worker, facts: { cause: await whyNotBack(needs, link) } })
}

/** Who came back with another account and left it at that is told why. */
async function whyNotBack(needs: ProvisionNeeds, link: Link): Promise<Cause> {
  const ready = await findClient(needs, link).catch(undefinedIfMissing)
  const isOwn = ready !== undefined && ready.client !== ready.integration.client
  const tenant = isOwn ? link.tenant : undefined
  const query = { integration: link.integration, tenant, testMode: isTestTenant(link.tenant), limit: latestStarts }
  return abandonCause(link, await needs.links.latestSettled(query))
}

/** The deployment changed under the link: what was granted is kept until somebody has put the integration back. */
const setAside = async (needs: ProvisionNeeds, link: Link, resumeFrom: ProvisioningState): Promise<Link> =>
  (await parkLink({ needs, actor: worker }, link, { cause: 'integration_removed', resumeFrom })) ?? link
