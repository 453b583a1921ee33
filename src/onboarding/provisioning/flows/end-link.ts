import type { Actor } from '../../domain/audit.ts'
import { type FactsOf, linkEntry } from '../../domain/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import type { Link } from '../../domain/link.ts'
import type { LinkChanges, Links } from '../../domain/ports/provisioning.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import { failureEvent } from '../../domain/tenant-event.ts'

type EndState = 'denied' | 'abandoned' | 'failed' | 'exchange_unknown'

/** A link that comes to nothing says why, everywhere and at once. */
export const endLink =
  ({ links, tokens }: { links: Links; tokens: Tokens }) =>
  async <State extends EndState>(
    link: Link,
    to: State,
    actor: Actor,
    facts: FactsOf<`link.${State}`> & { cause: Cause },
    more: LinkChanges = {},
  ): Promise<Link> => {
    const { cause } = facts
    const ended = { ...link, state: to, cause }
    const event = { id: tokens.id('evt'), ...failureEvent(ended) }
    const changes = { cause, escrow: null, event, takeOver: true, ...more }
    const moved = await links.move(link, to, changes, linkEntry(link, to, actor, facts))
    return moved ?? (await links.find(link.id)) ?? ended
  }
