import { worker } from '../domain/audit.ts'
import { isProvisioning, type Link } from '../domain/link.ts'
import type { Settings } from './adapters.ts'
import { endLink } from './end-link.ts'
import { findClient } from './find-client.ts'
import { type ProvisionNeeds, provisionLink } from './provision-link.ts'

const batch = { limit: 20, perTenant: 5 }

/** Takes up a few of the links whose time has come, whoever left them. Says how many, so that the caller asks again. */
export const resumeLinks =
  (needs: ProvisionNeeds, settings: Pick<Settings, 'verifyFunctions'>) => async (): Promise<number> => {
    const due = await needs.links.claimDue(batch)
    const resumed = await Promise.allSettled(due.map((link) => resume(needs, settings, link)))
    const broken = resumed.find(({ status }) => status === 'rejected')
    if (broken) throw (broken as PromiseRejectedResult).reason // its lease runs out, and it is taken up again
    return due.length
  }

async function resume(needs: ProvisionNeeds, settings: Pick<Settings, 'verifyFunctions'>, link: Link): Promise<Link> {
  if (isProvisioning(link.state)) {
    return provisionLink(needs, settings)(link, await findClient(needs, link.tenant, link.integration))
  }
  const end = endLink(needs)
  if (link.state === 'code_held') return end(link, 'abandoned', 'completion_missing', worker)
  // The request was sent, or may have been: sending the code again could void what it granted (RFC 6749 §10.5).
  if (link.state === 'exchanging') return end(link, 'exchange_unknown', 'exchange_unknown', worker)
  return end(link, 'abandoned', 'session_expired', worker)
}
