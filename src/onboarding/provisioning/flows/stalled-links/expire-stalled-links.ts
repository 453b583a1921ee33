import { worker } from '../../../domain/audit/audit.ts'
import { linkEntry } from '../../../domain/audit/audit-entry.ts'
import type { Link } from '../../../domain/link.ts'
import { isUnused } from '../../../domain/relink.ts'
import type { Settings } from '../../../domain/settings.ts'
import { findClient, undefinedIfMissing } from '../../../tenants/flows/find-client.ts'
import { type ProvisionNeeds, type ProvisionSettings, provisionLink } from '../provision-link.ts'

const few = 20

/**
 * The grant of a link that needs attention for too long is revoked, and the tenant is told. What can be
 * neither used nor revoked stays where support sees it. Says whether something stays.
 */
export const expireStalledLinks =
  (needs: ProvisionNeeds, settings: ProvisionSettings & Pick<Settings, 'escrowSeconds'>) =>
  async (): Promise<boolean> => {
    for (let after = '', stays = false; ; ) {
      const stalled = await needs.links.stalledFor(settings.escrowSeconds, { after, limit: few })
      for (const link of stalled) if (!(await expireLink(needs, settings, link))) stays = true
      const last = stalled.at(-1)
      if (!last || stalled.length < few) return stays
      after = last.id
    }
  }

/** False where it has to stay. */
export async function expireLink(needs: ProvisionNeeds, settings: ProvisionSettings, link: Link): Promise<boolean> {
  const relinkedAt = link.relink ? (await needs.connections.find(link.connectionId))?.relinkedAt : undefined
  const ready = await findClient(needs, link).catch(undefinedIfMissing)
  if (!ready || !isUnused(link, relinkedAt)) return false
  const { cause, resumeFrom } = link
  const audit = linkEntry(link, 'revoking', worker, { cause })
  // From here on nobody can resume it: a grant must not be put to work while it is being revoked.
  const taken = await needs.links.move(link, 'revoking', { takeOver: true, cause, resumeFrom }, audit)
  const ended = taken && (await provisionLink(needs, settings)({ link: taken, ready }))
  return ended?.state !== 'needs_attention'
}
