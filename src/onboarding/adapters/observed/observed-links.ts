import type { LogFields } from '../../../kit/process/log.ts'
import { isEnded, type Link, type LinkState } from '../../domain/link.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Reports } from './observed.ts'

/** What users who were sent somebody else's link look like; the one figure that has to name the tenant. */
const uncompletedHelp = 'Links that a user consented to and the tenant did not complete, by tenant.'

export function observedLinks(links: Links, { log, metrics }: Reports): Links {
  const moves = metrics.counter('link_moves_total', 'Moves of links, by the state they came to.', ['state', 'cause'])
  const uncompleted = metrics.counter('links_uncompleted_total', uncompletedHelp, ['tenant', 'cause'])
  return {
    ...links,
    async open(link, audit) {
      const opened = await links.open(link, audit)
      if (opened) log('link.opened', { ...idsOf(opened), requestId: audit.actor.requestId })
      return opened
    },
    async move(link, to, changes, audit) {
      const { requestId } = audit.actor
      const moved = await links.move(link, to, changes, audit)
      if (!moved) {
        log('link.lost', { ...idsOf(link), requestId, from: link.state, to })
        return moved
      }
      const { cause = '', tenant } = moved
      log(eventOf(to), { ...idsOf(moved), requestId, from: link.state, to, cause: moved.cause })
      moves.inc({ state: to, cause })
      if (cause === 'completion_missing' || cause === 'completion_refused') uncompleted.inc({ tenant, cause })
      return moved
    },
    async postpone(link, delaySeconds, cause) {
      const postponed = await links.postpone(link, delaySeconds, cause)
      const about = { ...idsOf(link), from: link.state, cause }
      if (postponed)
        log('link.retry_scheduled', { ...about, attempts: postponed.attempts, inSeconds: rounded(delaySeconds) })
      else log('link.lost', about)
      return postponed
    },
    async claimWaiting(link, audit) {
      const claimed = await links.claimWaiting(link, audit)
      if (claimed) log('link.resumed', { ...idsOf(claimed), requestId: audit.actor.requestId, from: link.state })
      return claimed
    },
    async claimDue(query) {
      const due = await links.claimDue(query)
      for (const link of due)
        if (link.takeovers > 0)
          log('link.taken_over', { ...idsOf(link), from: link.state, takeovers: link.takeovers, attempts: link.attempts })
      return due
    },
  }
}

const idsOf = ({ id, tenant, integration, connectionId }: Link): LogFields => ({
  link: id,
  tenant,
  integration,
  connection: connectionId,
})

function eventOf(to: LinkState) {
  if (to === 'needs_attention') return 'link.needs_attention'
  return isEnded(to) ? 'link.ended' : 'link.moved'
}

export const rounded = (seconds: number): number => Math.round(seconds * 10) / 10
