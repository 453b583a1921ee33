import type { Actor } from '../domain/audit.ts'
import { Failure } from '../domain/failure.ts'
import type { Link } from '../domain/link.ts'
import { isOvertaken } from '../domain/relink.ts'
import { type Caller, ownThing } from '../domain/tenant.ts'
import type { Adapters, UnderWay } from './adapters.ts'
import { findClient } from './find-client.ts'
import { type ProvisionNeeds, type ProvisionSettings, provisionLink } from './provision-link.ts'

export type ResumeLink = { caller: Caller; actor: Actor; id: string; reason?: string | undefined }

type Needs = ProvisionNeeds & Pick<Adapters, 'background'>

/** Somebody has looked, and the link goes on from the step it stopped at. */
export const resumeLink =
  (needs: Needs, settings: ProvisionSettings) =>
  async ({ caller, actor, id, reason }: ResumeLink): Promise<UnderWay> => {
    const link = ownThing(await needs.links.find(id), caller, 'link')
    if (link.state !== 'needs_attention' || !link.stoppedAt) throw notResumable()
    await refuseOvertaken(needs, link)
    const ready = await findClient(needs, link.tenant, link.integration)
    const about = { actor, tenant: link.tenant, link: link.id, connection: link.connectionId }
    const change = {
      before: { state: link.state, cause: link.cause ?? null },
      after: { state: link.stoppedAt, cause: null },
    }
    const audit = { action: 'link.resumed', ...about, reason: reason ?? link.stoppedAt, ...change }
    const resumed = await needs.links.move(link, link.stoppedAt, { takeOver: true }, audit)
    // Two people pressed the button: it is on its way already.
    if (!resumed) throw notResumable()
    return { link: resumed, done: needs.background.keep(provisionLink(needs, settings)(resumed, ready)) }
  }

async function refuseOvertaken({ connections }: Needs, link: Link): Promise<void> {
  const relinkedAt = link.relink ? (await connections.find(link.connectionId))?.relinkedAt : undefined
  if (isOvertaken(link, relinkedAt)) {
    throw new Failure('link_not_resumable', 'The connection was linked again since: there is nothing left to mend.')
  }
}

const notResumable = () => new Failure('link_not_resumable', 'Only a link that needs attention can be resumed.')
