import type { Actor } from '../../../domain/audit/audit.ts'
import { aboutLink, type EntryOf } from '../../../domain/audit/audit-entry.ts'
import { Failure } from '../../../domain/failure.ts'
import { isProvisioning, type Link, reportedCause } from '../../../domain/link.ts'
import type { Ports } from '../../../domain/ports/ports.ts'
import type { LinkChanges } from '../../../domain/ports/provisioning.ts'
import { isOvertaken } from '../../../domain/relink.ts'
import type { LinkInProgress, Settings } from '../../../domain/settings.ts'
import { type Caller, ownThing } from '../../../domain/tenant.ts'
import { limitRate } from '../../../flows/limit-rate.ts'
import { findClient } from '../../../tenants/flows/find-client.ts'
import { provisionLink } from '../provision-link.ts'

type ResumeLink = { caller: Caller; actor: Actor; id: string; reason?: string | undefined }

export async function resumeLink(
  ports: Ports,
  settings: Settings,
  { caller, actor, id, reason }: ResumeLink,
): Promise<LinkInProgress> {
  const link = ownThing(await ports.links.find(id), caller, 'link')
  if (!isStopped(link) && !isProvisioning(link.state)) throw notResumable()
  const ready = await findClient(ports, link)
  const about = { action: 'link.resumed' as const, actor, ...aboutLink(link), reason }
  const resumed = isStopped(link) ? await takeUp(ports, link, about) : await tryNow(ports, settings, link, about)
  return { link: resumed, done: ports.background.keep(provisionLink(ports, settings, { link: resumed, ready })) }
}

type StoppedLink = Link & { resumeFrom: NonNullable<Link['resumeFrom']> }
type About = Omit<EntryOf<'link.resumed'>, 'facts' | 'before' | 'after'>

export const isStopped = (link: Link): link is StoppedLink =>
  link.state === 'needs_attention' && link.resumeFrom !== undefined

export async function takeUp(
  ports: Pick<Ports, 'links' | 'connections'>,
  link: StoppedLink,
  about: About,
  changes: Pick<LinkChanges, 'dueInSeconds'> = {},
): Promise<Link> {
  await assertNotOvertaken(ports, link)
  const before = { state: link.state, cause: link.cause ?? null }
  const cause = reportedCause(link)
  const after = { state: link.resumeFrom, cause: cause ?? null }
  const audit = { ...about, facts: { from: link.resumeFrom }, before, after }
  const resumed = await ports.links.move(link, link.resumeFrom, { takeOver: true, cause, ...changes }, audit)
  if (!resumed) throw notResumable()
  return resumed
}

async function tryNow(ports: Ports, settings: Settings, link: Link, about: About): Promise<Link> {
  await limitRate(ports, settings.rates.check, link.id)
  const before = {
    state: link.state,
    cause: link.cause ?? null,
    nextAttemptAt: link.nextAttemptAt?.toISOString() ?? null,
  }
  const after = { ...before, nextAttemptAt: null }
  const audit = { ...about, facts: { from: link.state }, before, after }
  const claimed = await ports.links.claimWaiting(link, audit)
  if (!claimed) throw new Failure('link_not_resumable', 'The link is being processed right now.')
  return claimed
}

export const lastRelink = async ({ connections }: Pick<Ports, 'connections'>, { kind, connectionId }: Link) =>
  kind === 'relink' ? (await connections.find(connectionId))?.relinkedAt : undefined

async function assertNotOvertaken(ports: Pick<Ports, 'connections'>, link: Link): Promise<void> {
  if (isOvertaken(link, await lastRelink(ports, link))) {
    throw new Failure('link_not_resumable', 'The connection was linked again since: there is nothing left to mend.')
  }
}

const notResumable = () =>
  new Failure('link_not_resumable', 'Only a link that needs attention or waits for its next try can be resumed.')
