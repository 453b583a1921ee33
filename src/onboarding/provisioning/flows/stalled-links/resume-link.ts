import type { Actor } from '../../../domain/audit/audit.ts'
import { aboutLink, type EntryOf } from '../../../domain/audit/audit-entry.ts'
import { Failure } from '../../../domain/failure.ts'
import { isProvisioning, type Link, toldCause } from '../../../domain/link.ts'
import type { LinkChanges } from '../../../domain/ports/provisioning.ts'
import type { Background, RateLimits } from '../../../domain/ports/shared.ts'
import { isOvertaken } from '../../../domain/relink.ts'
import type { LinkInProgress, Settings } from '../../../domain/settings.ts'
import { type Caller, ownThing } from '../../../domain/tenant.ts'
import { limitRate } from '../../../flows/limit-rate.ts'
import { findClient } from '../../../tenants/flows/find-client.ts'
import { type ProvisionNeeds, type ProvisionSettings, provisionLink } from '../provision-link.ts'

export type ResumeLink = { caller: Caller; actor: Actor; id: string; reason?: string | undefined }

type Needs = ProvisionNeeds & { background: Background; rates: RateLimits }
type ResumeSettings = ProvisionSettings & Pick<Settings, 'rates'>

/** Somebody has looked: a link that stopped goes on from there, and one that waits for its next try is tried now. */
export const resumeLink =
  (needs: Needs, settings: ResumeSettings) =>
  async ({ caller, actor, id, reason }: ResumeLink): Promise<LinkInProgress> => {
    const link = ownThing(await needs.links.find(id), caller, 'link')
    if (!isStopped(link) && !isProvisioning(link.state)) throw notResumable()
    const ready = await findClient(needs, link)
    const about = { action: 'link.resumed' as const, actor, ...aboutLink(link), reason }
    const resumed = isStopped(link) ? await takeUp(needs, link, about) : await tryNow(needs, settings, link, about)
    return { link: resumed, done: needs.background.keep(provisionLink(needs, settings)({ link: resumed, ready })) }
  }

type StoppedLink = Link & { resumeFrom: NonNullable<Link['resumeFrom']> }
type About = Omit<EntryOf<'link.resumed'>, 'facts' | 'before' | 'after'>

export const isStopped = (link: Link): link is StoppedLink =>
  link.state === 'needs_attention' && link.resumeFrom !== undefined

/** With `dueInSeconds`, a worker goes on with it; otherwise the caller does. */
export async function takeUp(
  needs: Pick<Needs, 'links' | 'connections'>,
  link: StoppedLink,
  about: About,
  changes: Pick<LinkChanges, 'dueInSeconds'> = {},
): Promise<Link> {
  await assertNotOvertaken(needs, link)
  const before = { state: link.state, cause: link.cause ?? null }
  const cause = toldCause(link)
  const after = { state: link.resumeFrom, cause: cause ?? null }
  const audit = { ...about, facts: { from: link.resumeFrom }, before, after }
  const resumed = await needs.links.move(link, link.resumeFrom, { takeOver: true, cause, ...changes }, audit)
  // Two people pressed the button: it is on its way already.
  if (!resumed) throw notResumable()
  return resumed
}

async function tryNow(needs: Needs, settings: ResumeSettings, link: Link, about: About): Promise<Link> {
  await limitRate(needs)(settings.rates.check, link.id)
  const before = {
    state: link.state,
    cause: link.cause ?? null,
    nextAttemptAt: link.nextAttemptAt?.toISOString() ?? null,
  }
  const after = { ...before, nextAttemptAt: null }
  const audit = { ...about, facts: { from: link.state }, before, after }
  const claimed = await needs.links.claimWaiting(link, audit)
  if (!claimed) throw new Failure('link_not_resumable', 'The link is being processed right now.')
  return claimed
}

async function assertNotOvertaken({ connections }: Pick<Needs, 'connections'>, link: Link): Promise<void> {
  const relinkedAt = link.relink ? (await connections.find(link.connectionId))?.relinkedAt : undefined
  if (isOvertaken(link, relinkedAt)) {
    throw new Failure('link_not_resumable', 'The connection was linked again since: there is nothing left to mend.')
  }
}

const notResumable = () =>
  new Failure('link_not_resumable', 'Only a link that needs attention or waits for its next try can be resumed.')
