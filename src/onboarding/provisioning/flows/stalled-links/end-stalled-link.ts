import type { Actor } from '../../../domain/audit/audit.ts'
import { type AuditEntry, aboutLink } from '../../../domain/audit/audit-entry.ts'
import { Failure } from '../../../domain/failure.ts'
import type { Link } from '../../../domain/link.ts'
import type { Background } from '../../../domain/ports/shared.ts'
import { isUnused } from '../../../domain/relink.ts'
import type { LinkInProgress } from '../../../domain/settings.ts'
import { type Caller, ownThing } from '../../../domain/tenant.ts'
import { findClient, undefinedIfMissing } from '../../../tenants/flows/find-client.ts'
import { endLink } from '../end-link.ts'
import { type ProvisionNeeds, type ProvisionSettings, provisionLink } from '../provision-link.ts'

export type EndStalledLink = { caller: Caller; actor: Actor; id: string; reason: string }

type Needs = ProvisionNeeds & { background: Background }

/**
 * Somebody has looked, and nothing will come of the link: what was granted is revoked as far as the provider lets us,
 * and forgotten in any case. A grant that the platform may be using is not ended this way.
 */
export const endStalledLink =
  (needs: Needs, settings: ProvisionSettings) =>
  async ({ caller, actor, id, reason }: EndStalledLink): Promise<LinkInProgress> => {
    const link = ownThing(await needs.links.find(id), caller, 'link')
    await assertEndable(needs, link)
    const { cause, resumeFrom } = link
    const change = { before: { state: link.state, cause: cause ?? null }, after: { state: 'failed' } }
    const audit: AuditEntry = { action: 'link.ended', actor, ...aboutLink(link), reason, facts: {}, ...change }
    // From here on nobody can resume it: a grant must not be put to work while it is being revoked.
    const taken = await needs.links.move(link, 'revoking', { takeOver: true, cause, resumeFrom }, audit)
    if (!taken) throw notEndable()
    return { link: taken, done: needs.background.keep(revokeAndEnd(needs, settings, taken, actor)) }
  }

async function revokeAndEnd(needs: Needs, settings: ProvisionSettings, taken: Link, actor: Actor): Promise<Link> {
  const ready = await findClient(needs, taken).catch(undefinedIfMissing)
  const left = ready ? await provisionLink(needs, settings)({ link: taken, ready }) : taken
  return left.state === 'failed' ? left : forgetGrant(needs, left, actor)
}

/** It can be neither used nor revoked, and nobody will look at it any more: our copy of it goes. */
export const forgetGrant = (needs: ProvisionNeeds, link: Link, actor: Actor): Promise<Link> =>
  endLink(needs)(link, {
    to: 'failed',
    actor,
    facts: { cause: link.cause ?? 'session_cancelled', grant: 'unrevoked' },
  })

async function assertEndable({ connections }: Needs, link: Link): Promise<void> {
  if (link.state !== 'needs_attention') throw notEndable()
  const relinkedAt = link.relink ? (await connections.find(link.connectionId))?.relinkedAt : undefined
  if (isUnused(link, relinkedAt)) return
  throw new Failure('link_not_endable', 'The connection may be using its grant: resume the link, or disconnect.')
}

const notEndable = () => new Failure('link_not_endable', 'Only a link that needs attention can be ended.')
