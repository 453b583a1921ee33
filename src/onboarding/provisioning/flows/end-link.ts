import type { Actor } from '../../domain/audit.ts'
import type { Cause } from '../../domain/cause.ts'
import type { Link } from '../../domain/link.ts'
import type { LinkChanges, Links } from '../../domain/ports/provisioning.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import { failureEvent } from '../../domain/tenant-event.ts'

type EndState = 'denied' | 'abandoned' | 'failed' | 'exchange_unknown'

/** A link that comes to nothing says why, everywhere and at once. */
export const endLink =
  ({ links, tokens }: { links: Links; tokens: Tokens }) =>
  async (
    link: Link,
    to: EndState,
    cause: Cause,
    actor: Actor,
    reason?: string,
    more: LinkChanges = {},
  ): Promise<Link> => {
    const ended = { ...link, state: to, cause }
    const event = { id: tokens.id('evt'), ...failureEvent(ended) }
    const audit = {
      action: `link.${to}`,
      actor,
      tenant: link.tenant,
      link: link.id,
      connection: link.connectionId,
      reason: reason ?? cause,
    }
    const moved = await links.move(link, to, { cause, escrow: null, event, takeOver: true, ...more }, audit)
    return moved ?? (await links.find(link.id)) ?? ended
  }
