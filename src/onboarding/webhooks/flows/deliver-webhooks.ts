import { worker } from '../../domain/audit/audit.ts'
import type { Audit, Background, Chance, Clock, Seal } from '../../domain/ports/shared.ts'
import type { ClaimedDelivery, Deliveries, WebhookSender, Webhooks } from '../../domain/ports/webhooks.ts'
import { crashesWorkers } from '../../domain/retries.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { judgeDelivery, type SendResult, webhookMessage } from '../../domain/webhooks/delivery.ts'
import { webhookSnapshot } from '../../domain/webhooks/webhook.ts'

type Needs = {
  webhooks: Webhooks
  deliveries: Deliveries
  webhookSender: WebhookSender
  audit: Audit
  seal: Seal
  now: Clock
  chance: Chance
  background: Background
}

const atOnce = { events: 500, messages: 64, perTenant: 8 }

/** `done` resolves when every message claimed by this round was sent or has failed. */
export type DeliveryRound = { count: number; done: Promise<unknown> }

/**
 * Takes up every message whose time has come. A round does not wait for the one before it: a receiver that hangs
 * keeps one of its tenant's places until it is cut off, and nothing else waits for it.
 */
export function deliverWebhooks(needs: Needs) {
  const underWay = new Map<string, number>()
  const count = (tenant: string, change: number) => underWay.set(tenant, (underWay.get(tenant) ?? 0) + change)

  let suspects = 0

  const watch = async (claimed: ClaimedDelivery) => {
    const suspect = claimed.claims > 1 ? 1 : 0
    count(claimed.tenant, 1)
    suspects += suspect
    await deliver(needs, claimed).finally(() => {
      count(claimed.tenant, -1)
      suspects -= suspect
    })
  }

  return async (): Promise<DeliveryRound> => {
    await needs.deliveries.announce(atOnce.events)
    for (const [tenant, messages] of underWay) if (messages === 0) underWay.delete(tenant)
    const limit = atOnce.messages - [...underWay.values()].reduce((sum, messages) => sum + messages, 0)
    if (limit <= 0) return { count: 0, done: Promise.resolve() }
    const { perTenant } = atOnce
    const due = await needs.deliveries.claimDue({
      limit,
      perTenant,
      underWay: Object.fromEntries(underWay),
      suspects: 1 - suspects, // together, the one that ends its worker would take innocent ones with it
    })
    return { count: due.length, done: Promise.allSettled(due.map((claimed) => needs.background.keep(watch(claimed)))) }
  }
}

async function deliver(needs: Needs, claimed: ClaimedDelivery): Promise<void> {
  if (crashesWorkers(claimed)) {
    return needs.deliveries.markDead(claimed, { failureReason: 'worker_crashed', responseStatus: undefined })
  }
  const result = await send(needs, claimed)
  // Once for each message: the retries of a name that resolves to a private address must not fill the audit.
  if ('failureReason' in result && result.failureReason === 'blocked' && claimed.attempts === 1)
    await noteBlocked(needs, claimed)
  const verdict = judgeDelivery(result, claimed.attempts, needs.chance())
  const responseStatus = 'responseStatus' in result ? result.responseStatus : undefined
  switch (verdict.next) {
    case 'delivered':
      return needs.deliveries.delivered(claimed, responseStatus ?? 0)
    case 'later':
      return needs.deliveries.postpone(claimed, { ...verdict, responseStatus })
    case 'dead':
      return needs.deliveries.markDead(claimed, { ...verdict, responseStatus })
    case 'disable':
      await needs.deliveries.markDead(claimed, { failureReason: 'gone', responseStatus })
      await disable(needs, claimed)
  }
}

function send({ webhookSender, seal, now }: Needs, claimed: ClaimedDelivery): Promise<SendResult> {
  const { event, tenant, webhook, url } = claimed
  const secrets = claimed.sealedSecrets.map((sealed) => seal.open(sealed, sealContext.webhookSecret(tenant, webhook)))
  return webhookSender.send({
    id: event.id,
    url,
    body: webhookMessage(tenant, event),
    at: now(),
    secrets,
    traceparent: event.traceparent,
  })
}

async function disable({ webhooks }: Needs, { tenant, webhook: id }: ClaimedDelivery): Promise<void> {
  const webhook = await webhooks.find(tenant, id)
  if (!webhook) return // deleted meanwhile
  const change = { before: webhookSnapshot(webhook), after: webhookSnapshot({ ...webhook, status: 'disabled' }) }
  const about = { actor: worker, subject: { kind: 'webhook' as const, id }, tenant }
  const facts = { receiverGone: true }
  await webhooks.disable({ tenant, id }, { action: 'webhook.disabled', ...about, facts, ...change })
}

const noteBlocked = ({ audit }: Needs, { tenant, webhook, event }: ClaimedDelivery) =>
  audit.note({
    action: 'egress.blocked',
    actor: worker,
    subject: { kind: 'webhook', id: webhook },
    tenant,
    facts: { eventId: event.id },
  })
