import type { Actor } from '../../domain/audit.ts'
import type { Cause } from '../../domain/cause.ts'
import type { Link } from '../../domain/link.ts'
import type { LinkChanges, Links } from '../../domain/ports/provisioning.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import { failureEvent } from '../../domain/tenant-event.ts'

export type LinkEnd = {
  to: 'denied' | 'abandoned' | 'failed' | 'exchange_unknown'
  cause: Cause
  actor: Actor
  /** For the audit; the cause if not said. */
  reason?: string | undefined
  changes?: LinkChanges | undefined
}

/** A link that comes to nothing says why, everywhere and at once. */
export const endLink =
  ({ links, tokens }: { links: Links; tokens: Tokens }) =>
  async (link: Link, { to, cause, actor, reason = cause, changes }: LinkEnd): Promise<Link> => {
    const ended = { ...link, state: to, cause }
    const event = { id: tokens.id('evt'), ...failureEvent(ended) }
    const { id, tenant, connectionId: connection } = link
    const audit = { action: `link.${to}`, actor, tenant, link: id, connection, reason }
    const moved = await links.move(link, to, { cause, escrow: null, event, takeOver: true, ...changes }, audit)
    return moved ?? (await links.find(link.id)) ?? ended
  }
