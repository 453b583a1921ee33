import { worker } from '../../domain/audit/audit.ts'
import { linkEntry } from '../../domain/audit/audit-entry.ts'
import { abandonCause, latestStarts } from '../../domain/callback.ts'
import type { Cause } from '../../domain/cause.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { isProvisioning, type Link, type ProvisioningState } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { endLink } from './end-link.ts'
import { endSent, wasSent } from './end-sent.ts'
import { parkLink, provisionLink } from './provision-link.ts'

const batch = { limit: 20, perTenant: 5 }

export async function sweepLinks(ports: Ports, settings: Settings): Promise<number> {
  const due = await ports.links.claimDue(batch)
  const resumed = await Promise.allSettled(due.map((link) => resume(ports, settings, link)))
  const broken = resumed.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // its lease runs out, and it is taken up again
  return due.length
}

export async function resume(ports: Ports, settings: Settings, link: Link): Promise<Link> {
  if (isProvisioning(link.state)) return resumeGrant(ports, settings, link, link.state)
  if (link.state === 'exchanging') return endSent(ports, settings, link, worker)
  if (await wasSent(ports, link)) {
    const following = link.state === 'code_waiting' ? 'completion' : 'callback'
    const audit = linkEntry(link, 'exchanging', worker, { following })
    const sent = await ports.links.move(link, 'exchanging', { takeOver: true }, audit)
    return sent ? endSent(ports, settings, sent, worker) : link
  }
  if (link.state === 'code_waiting')
    return endLink(ports, link, { to: 'abandoned', actor: worker, facts: { cause: 'completion_missing' } })
  return endLink(ports, link, { to: 'abandoned', actor: worker, facts: { cause: await whyNotBack(ports, link) } })
}

async function resumeGrant(ports: Ports, settings: Settings, link: Link, state: ProvisioningState): Promise<Link> {
  const ready = await findClient(ports, link).catch(undefinedIfMissing)
  if (state !== 'escrowed' || (await ports.marks.claim('grant', link.id, 'delivered')))
    return ready ? provisionLink(ports, settings, { link, ready }) : setAside(ports, link, state)
  const cause = 'grant_unusable'
  if (!ready) return endLink(ports, link, { to: 'failed', actor: worker, facts: { cause } })
  // The worker that received the grant could not store it. It revoked it, unless the ledger could not say who shares it.
  return provisionLink(ports, settings, { link, ready, found: { error: new DependencyError(cause) } })
}

async function whyNotBack(ports: Ports, link: Link): Promise<Cause> {
  const ready = await findClient(ports, link).catch(undefinedIfMissing)
  const isOwn = ready !== undefined && ready.client !== ready.integration.client
  const tenant = isOwn ? link.tenant : undefined
  const query = { integration: link.integration, tenant, testMode: isTestTenant(link.tenant), limit: latestStarts }
  return abandonCause(link, await ports.links.latestSettled(query))
}

/** The deployment no longer has the integration. The grant is stored until an operator restores it. */
const setAside = async (ports: Ports, link: Link, resumeFrom: ProvisioningState): Promise<Link> =>
  (await parkLink({ ports, actor: worker }, link, { cause: 'integration_removed', resumeFrom })) ?? link
