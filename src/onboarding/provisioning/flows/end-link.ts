import type { Actor } from '../../domain/audit/audit.ts'
import { type FactsOf, linkEntry } from '../../domain/audit/audit-entry.ts'
import { isToldEnd, type Link } from '../../domain/link.ts'
import type { LinkChanges, Links } from '../../domain/ports/provisioning.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import { failureEvent } from '../../domain/tenant-event.ts'

type EndState = 'cancelled' | 'denied' | 'abandoned' | 'failed' | 'exchange_unknown'

/** The facts say why: their cause is the link's, too. */
export type LinkEnd = {
  [State in EndState]: {
    to: State
    actor: Actor
    facts: FactsOf<`link.${State}`>
    changes?: LinkChanges | undefined
  }
}[EndState]

/**
 * A link that fails says why, in the ledger, the audit and the tenant's event at once. Of what was imported, the report
 * of the import tells it.
 */
export const endLink =
  ({ links, tokens }: { links: Links; tokens: Tokens }) =>
  async (link: Link, { to, actor, facts, changes }: LinkEnd): Promise<Link> => {
    const { cause } = facts
    const ended = { ...link, state: to, cause }
    const event = isToldEnd(link) || link.importId ? {} : { event: { id: tokens.id('evt'), ...failureEvent(ended) } }
    const audit = linkEntry(link, to, actor, facts)
    const moved = await links.move(link, to, { cause, escrow: null, ...event, takeOver: true, ...changes }, audit)
    return moved ?? (await links.find(link.id)) ?? ended
  }
