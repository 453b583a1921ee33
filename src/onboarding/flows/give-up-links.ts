import { worker } from '../domain/audit.ts'
import type { Link } from '../domain/link.ts'
import { isUnused } from '../domain/relink.ts'
import type { Settings } from './adapters.ts'
import { findClient, unlessMissing } from './find-client.ts'
import { type ProvisionNeeds, type ProvisionSettings, provisionLink } from './provision-link.ts'

const few = 20

/**
 * A grant that needs attention and gets none is not kept for ever: it is given back, and the tenant is told. What can
 * be neither used nor given back stays where support sees it.
 */
export const giveUpLinks =
  (needs: ProvisionNeeds, settings: ProvisionSettings & Pick<Settings, 'escrowSeconds'>) => async (): Promise<void> => {
    for (let after = ''; ; ) {
      const outlived = await needs.links.outlived(settings.escrowSeconds, { after, limit: few })
      for (const link of outlived) await giveUp(needs, settings, link)
      const last = outlived.at(-1)
      if (!last || outlived.length < few) return
      after = last.id
    }
  }

async function giveUp(needs: ProvisionNeeds, settings: ProvisionSettings, link: Link): Promise<void> {
  const relinkedAt = link.relink ? (await needs.connections.find(link.connectionId))?.relinkedAt : undefined
  const ready = await findClient(needs, link.tenant, link.integration).catch(unlessMissing)
  if (!ready || !isUnused(link, relinkedAt)) return
  const { id, tenant, connectionId, cause, stoppedAt } = link
  const audit = { action: 'link.giving_back', actor: worker, tenant, link: id, connection: connectionId, reason: cause }
  // From here on nobody can resume it: a grant must not be put to work while it is being revoked.
  const taken = await needs.links.move(link, 'giving_back', { takeOver: true, cause, stoppedAt }, audit)
  if (taken) await provisionLink(needs, settings)(taken, ready)
}
