import type { LogFields } from '../../../kit/process/log.ts'
import { boundedLabel, type Metrics } from '../../../kit/process/metrics.ts'
import { traceIdOf } from '../../../kit/tracing/tracing.ts'
import type { AuditEntry } from '../../domain/audit/audit-entry.ts'
import { type Cause, causeCodes, causes, whoseMoves } from '../../domain/cause.ts'
import { isEnded, type Link, type LinkState, statusOf } from '../../domain/link.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import { onboardingMetrics } from '../../domain/reports/metrics.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import type { ClientRejections, Reports } from './reports.ts'

/** `integrations`: those that can be linked from the start. */
export function observedLinks(
  links: Links,
  { log, metrics, tracing }: Reports,
  integrations: ReadonlyArray<{ id: string }>,
  clientRejected: ClientRejections,
): Links {
  const count = counters(metrics, integrations, clientRejected)
  return {
    ...links,
    async open(link, audit) {
      const opened = await links.open(link, audit)
      if (opened) log('link.opened', { ...idsOf(opened), requestId: audit.actor.requestId })
      return opened
    },
    async move(link, to, changes, audit) {
      const { requestId } = audit.actor
      const attributes = { 'link.id': link.id, 'state.from': link.state, 'state.to': to, cause: changes.cause }
      const span = { attributes, parent: link.traceparent }
      const moved = await tracing.span('link.move', span, () => links.move(link, to, changes, audit))
      if (!moved) {
        log('link.lost', { ...idsOf(link), requestId, from: link.state, to })
        return moved
      }
      log(eventOf(to), movedFields(link, moved, audit))
      if (!isTestTenant(moved.tenant)) count.moved(link, moved)
      return moved
    },
    async postpone(link, delaySeconds, cause, calls) {
      const postponed = await links.postpone(link, delaySeconds, cause, calls)
      const about = { ...idsOf(link), from: link.state, cause }
      if (!postponed) {
        log('link.lost', about)
        return postponed
      }
      log('link.retry_scheduled', { ...about, attempts: postponed.attempts, inSeconds: rounded(delaySeconds) })
      if (!isTestTenant(link.tenant)) count.retried(link, cause)
      return postponed
    },
    async claimWaiting(link, audit) {
      const claimed = await links.claimWaiting(link, audit)
      if (claimed) log('link.resumed', { ...idsOf(claimed), requestId: audit.actor.requestId, from: link.state })
      return claimed
    },
    async claimDue(query) {
      const due = await links.claimDue(query)
      for (const link of due.filter(({ takeovers }) => takeovers > 0)) {
        const { state: from, takeovers, attempts } = link
        log('link.taken_over', { ...idsOf(link), from, takeovers, attempts })
        count.takenOver()
      }
      return due
    },
  }
}

/** Further tenants share a series. */
const maxTenants = 200

function counters(metrics: Metrics, integrations: ReadonlyArray<{ id: string }>, clientRejected: ClientRejections) {
  const moves = metrics.counter(onboardingMetrics.linkMoves)
  const ended = metrics.counter(onboardingMetrics.linksEnded)
  const uncompleted = metrics.counter(onboardingMetrics.linksUncompleted)
  const retries = metrics.counter(onboardingMetrics.linkRetries)
  const takeovers = metrics.counter(onboardingMetrics.linkTakeovers)
  const tenantLabel = boundedLabel(maxTenants)
  // From zero on: Prometheus misses the first event of a series that begins with one.
  for (const cause of causeCodes) {
    retries.inc({ cause }, 0)
    for (const state of ['failed', 'needs_attention']) moves.inc({ state, cause }, 0)
  }
  for (const { id: integration } of integrations) {
    ended.inc({ integration, outcome: 'linked', whose_move: 'nobody' }, 0)
    for (const whose_move of whoseMoves)
      for (const outcome of ['failed', 'needs_attention']) ended.inc({ integration, outcome, whose_move }, 0)
  }
  return {
    moved(before: Link, { state, cause, tenant, integration }: Link): void {
      moves.inc({ state, cause: cause ?? '' })
      // A cause is counted once, when the link first meets it.
      if (cause !== before.cause) clientRejected(integration, cause)
      const outcome = statusOf(state)
      if (isEnded(state) || state === 'needs_attention')
        ended.inc({ integration, outcome, whose_move: cause ? causes[cause].whoseMove : 'nobody' })
      if (cause === 'completion_missing' || cause === 'completion_refused')
        uncompleted.inc({ tenant: tenantLabel(tenant), cause })
    },
    retried({ integration }: Link, cause: Cause): void {
      retries.inc({ cause })
      clientRejected(integration, cause)
    },
    takenOver: () => takeovers.inc(),
  }
}

const idsOf = ({ id, tenant, integration, connectionId, traceparent }: Link): LogFields => ({
  link: id,
  trace: traceIdOf(traceparent),
  tenant,
  integration,
  connection: connectionId,
})

const movedFields = ({ state: from }: Link, moved: Link, audit: AuditEntry): LogFields => ({
  ...idsOf(moved),
  requestId: audit.actor.requestId,
  from,
  to: moved.state,
  cause: moved.cause,
  detail: detailOf(moved.state, audit),
})

function eventOf(to: LinkState) {
  if (to === 'needs_attention') return 'link.needs_attention'
  return isEnded(to) ? 'link.ended' : 'link.moved'
}

const detailOf = (to: LinkState, { facts }: AuditEntry) =>
  isEnded(to) && facts && 'detail' in facts ? facts.detail : undefined

export const rounded = (seconds: number): number => Math.round(seconds * 10) / 10
