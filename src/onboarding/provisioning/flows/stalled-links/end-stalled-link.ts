import { type Actor, worker } from '../../../domain/audit/audit.ts'
import { type AuditEntry, aboutLink, linkEntry } from '../../../domain/audit/audit-entry.ts'
import { Failure } from '../../../domain/failure.ts'
import type { Link } from '../../../domain/link.ts'
import type { Ports } from '../../../domain/ports/ports.ts'
import { isUnused } from '../../../domain/relink.ts'
import type { LinkInProgress, Settings } from '../../../domain/settings.ts'
import { type Caller, ownThing } from '../../../domain/tenant.ts'
import { findClient, undefinedIfMissing } from '../../../tenants/flows/find-client.ts'
import { endLink } from '../end-link.ts'
import { provisionLink } from '../provision-link.ts'
import { lastRelink } from './resume-link.ts'

type EndStalledLink = { caller: Caller; actor: Actor; id: string; reason: string }

/** A grant that the platform may use is not ended here. */
export async function endStalledLink(
  ports: Ports,
  settings: Settings,
  { caller, actor, id, reason }: EndStalledLink,
): Promise<LinkInProgress> {
  const link = ownThing(await ports.links.find(id), caller, 'link')
  await assertEndable(ports, link)
  const { cause } = link
  const change = { before: { state: link.state, cause: cause ?? null }, after: { state: 'failed' } }
  const audit: AuditEntry = { action: 'link.ended', actor, ...aboutLink(link), reason, facts: {}, ...change }
  const taken = await takeToRevoke(ports, link, audit)
  if (!taken) throw notEndable()
  return { link: taken, done: ports.background.keep(revokeAndEnd(ports, settings, taken, actor)) }
}

async function revokeAndEnd(ports: Ports, settings: Settings, taken: Link, actor: Actor): Promise<Link> {
  const ready = await findClient(ports, taken).catch(undefinedIfMissing)
  const left = ready ? await provisionLink(ports, settings, { link: taken, ready }) : taken
  return left.state === 'failed' ? left : forgetGrant(ports, left, actor)
}

export const forgetGrant = (ports: Ports, link: Link, actor: Actor): Promise<Link> =>
  endLink(ports, link, { to: 'failed', actor, facts: { cause: link.cause ?? 'session_cancelled', grant: 'unrevoked' } })

async function assertEndable(ports: Ports, link: Link): Promise<void> {
  if (link.state !== 'needs_attention') throw notEndable()
  if (isUnused(link, await lastRelink(ports, link))) return
  throw new Failure('link_not_endable', 'The connection may be using its grant: resume the link, or disconnect.')
}

const notEndable = () => new Failure('link_not_endable', 'Only a link that needs attention can be ended.')

const few = 20

/** A grant that can be neither used nor revoked stays visible to support. Returns whether any link stays. */
export async function expireStalledLinks(ports: Ports, settings: Settings): Promise<boolean> {
  for (let after = '', stays = false; ; ) {
    const stalled = await ports.links.stalledFor(settings.escrowSeconds, { after, limit: few })
    for (const link of stalled) if (!(await expireLink(ports, settings, link))) stays = true
    const last = stalled.at(-1)
    if (!last || stalled.length < few) return stays
    after = last.id
  }
}

export async function expireLink(ports: Ports, settings: Settings, link: Link): Promise<boolean> {
  const ready = await findClient(ports, link).catch(undefinedIfMissing)
  if (!ready || !isUnused(link, await lastRelink(ports, link))) return false
  const taken = await takeToRevoke(ports, link, linkEntry(link, 'revoking', worker, { cause: link.cause }))
  const ended = taken && (await provisionLink(ports, settings, { link: taken, ready }))
  return ended?.state !== 'needs_attention'
}

/** Prevents a resume while the grant is being revoked. */
const takeToRevoke = ({ links }: Ports, link: Link, audit: AuditEntry): Promise<Link | undefined> =>
  links.move(link, 'revoking', { takeOver: true, cause: link.cause, resumeFrom: link.resumeFrom }, audit)
