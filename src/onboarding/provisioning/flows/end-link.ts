import type { Actor } from '../../domain/audit/audit.ts'
import { type FactsOf, linkEntry } from '../../domain/audit/audit-entry.ts'
import { isReportedEnd, type Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { LinkChanges } from '../../domain/ports/provisioning.ts'
import { type EventDraft, failureEvent } from '../../domain/tenant-event.ts'

type EndState = 'cancelled' | 'denied' | 'abandoned' | 'failed' | 'exchange_unknown'

type LinkEnd = {
  [State in EndState]: {
    to: State
    actor: Actor
    facts: FactsOf<`link.${State}`>
    changes?: LinkChanges | undefined
  }
}[EndState]

/** Returns the link as it is if another worker has moved it. */
export async function endLink(ports: Pick<Ports, 'links' | 'tokens'>, link: Link, end: LinkEnd): Promise<Link> {
  const { to: state, facts } = end
  return (
    (await endOwnLink(ports, link, end)) ?? (await ports.links.find(link.id)) ?? { ...link, state, cause: facts.cause }
  )
}

/** Returns undefined if another worker has moved it. */
export function endOwnLink(
  { links, tokens }: Pick<Ports, 'links' | 'tokens'>,
  link: Link,
  { to, actor, facts, changes }: LinkEnd,
): Promise<Link | undefined> {
  const { cause } = facts
  const ended = { ...link, state: to, cause }
  const event = isReportedEnd(link) ? {} : eventOf({ tokens }, link, failureEvent(ended))
  const audit = linkEntry(link, to, actor, facts)
  return links.move(link, to, { cause, escrow: null, ...event, takeOver: true, ...changes }, audit)
}

/** Imports send no events: a tenant reads the report instead of 100,000 messages. */
export const eventOf = ({ tokens }: Pick<Ports, 'tokens'>, { kind }: Link, draft: EventDraft) =>
  kind === 'import' ? {} : { event: { id: tokens.id('evt'), ...draft } }
