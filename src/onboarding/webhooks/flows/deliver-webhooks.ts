import { worker } from '../../domain/audit/audit.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { ClaimedDelivery } from '../../domain/ports/webhooks.ts'
import { crashesWorkers } from '../../domain/retries.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { optInEvent } from '../../domain/tenant-event.ts'
import { judgeDelivery, type SendResult, webhookMessage } from '../../domain/webhooks/delivery.ts'
import { webhookSnapshot } from '../../domain/webhooks/webhook.ts'
import { withRecords } from './audit-messages.ts'

const atOnce = { events: 500, messages: 64, perTenant: 8 }

/** `done` resolves when all messages of this round were sent or have failed. */
type DeliveryRound = { count: number; done: Promise<unknown> }

/** Rounds overlap: a slow receiver occupies a slot of its tenant until the timeout, and delays no other. */
export function deliverWebhooks(ports: Ports) {
  const underWay = new Map<string, number>()
  const count = (tenant: string, change: number) => underWay.set(tenant, (underWay.get(tenant) ?? 0) + change)

  let suspects = 0

  const watch = async (claimed: ClaimedDelivery) => {
    const suspect = claimed.claims > 1 ? 1 : 0
    count(claimed.tenant, 1)
    suspects += suspect
    await deliver(ports, claimed).finally(() => {
      count(claimed.tenant, -1)
      suspects -= suspect
    })
  }

  return async (): Promise<DeliveryRound> => {
    await ports.deliveries.announce(atOnce.events)
    for (const [tenant, messages] of underWay) if (messages === 0) underWay.delete(tenant)
    const limit = atOnce.messages - [...underWay.values()].reduce((sum, messages) => sum + messages, 0)
    if (limit <= 0) return { count: 0, done: Promise.resolve() }
    const due = await ports.deliveries.claimDue({
      limit,
      perTenant: atOnce.perTenant,
      underWay: Object.fromEntries(underWay),
      suspects: 1 - suspects, // one at a time, because a crash takes all messages in flight with it
    })
    return { count: due.length, done: Promise.allSettled(due.map((claimed) => ports.background.keep(watch(claimed)))) }
  }
}

async function deliver(ports: Ports, claimed: ClaimedDelivery): Promise<void> {
  if (crashesWorkers(claimed)) {
    return ports.deliveries.markDead(claimed, { failureReason: 'worker_crashed', responseStatus: undefined })
  }
  const result = await send(ports, claimed)
  // Only on the first attempt, so that retries to a private address don't fill the audit log.
  // Nor about the audit: each entry would be another message.
  const isFirst = claimed.attempts === 1 && claimed.event.name !== optInEvent
  if ('failureReason' in result && result.failureReason === 'blocked' && isFirst) await noteBlocked(ports, claimed)
  const verdict = judgeDelivery(result, claimed.attempts, ports.chance())
  const responseStatus = 'responseStatus' in result ? result.responseStatus : undefined
  switch (verdict.next) {
    case 'delivered':
      return ports.deliveries.delivered(claimed, responseStatus ?? 0)
    case 'later':
      return ports.deliveries.postpone(claimed, { ...verdict, responseStatus })
    case 'dead':
      return ports.deliveries.markDead(claimed, { ...verdict, responseStatus })
    case 'disable':
      await ports.deliveries.markDead(claimed, { failureReason: 'gone', responseStatus })
      await disable(ports, claimed)
  }
}

async function send(ports: Ports, claimed: ClaimedDelivery): Promise<SendResult> {
  const { webhookSender, seal, now } = ports
  const { event, tenant, webhook, url } = claimed
  const [whole = event] = await withRecords(ports, tenant, [event])
  const secrets = claimed.sealedSecrets.map((sealed) => seal.open(sealed, sealContext.webhookSecret(tenant, webhook)))
  return webhookSender.send({
    id: event.id,
    url,
    body: webhookMessage(tenant, whole),
    at: now(),
    secrets,
    traceparent: event.traceparent,
  })
}

async function disable({ webhooks }: Ports, { tenant, webhook: id }: ClaimedDelivery): Promise<void> {
  const webhook = await webhooks.find(tenant, id)
  if (!webhook) return
  const change = { before: webhookSnapshot(webhook), after: webhookSnapshot({ ...webhook, status: 'disabled' }) }
  const about = { actor: worker, subject: { kind: 'webhook' as const, id }, tenant }
  const facts = { receiverGone: true }
  await webhooks.disable({ tenant, id }, { action: 'webhook.disabled', ...about, facts, ...change })
}

const noteBlocked = ({ audit }: Ports, { tenant, webhook, event }: ClaimedDelivery) =>
  audit.note({
    action: 'egress.blocked',
    actor: worker,
    subject: { kind: 'webhook', id: webhook },
    tenant,
    facts: { eventId: event.id },
  })
