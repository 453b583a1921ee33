import type { Receiver, SentDelivery } from '../../../domain/ports/support-ledger.ts'
import {
  type Delivery,
  type DeliveryFailureReason,
  type DeliveryStatus,
  deliveryStatuses,
} from '../../../domain/webhooks/delivery.ts'
import type { WebhookStatus } from '../../../domain/webhooks/webhook.ts'
import type { ListInput } from './lists.ts'
import { ago, formatTime, shown } from './words.ts'

const deliveryWords: Record<DeliveryStatus, { status: string; label: string }> = {
  pending: { status: 'pending', label: 'Pending' },
  delivered: { status: 'linked', label: 'Delivered' },
  dead: { status: 'failed', label: 'Failed' },
}

const receiverWords: Record<WebhookStatus, { status: string; label: string }> = {
  active: { status: 'linked', label: 'Active' },
  disabled: { status: 'failed', label: 'Disabled' },
}

const problemWords: Record<DeliveryFailureReason, string> = {
  blocked: 'The address is not allowed',
  unreachable: 'The endpoint could not be reached',
  unanswered: 'The endpoint did not respond in time',
  too_large: 'The response was too large',
  redirected: 'The endpoint redirected, which is not followed',
  refused: 'The endpoint responded with an error',
  gone: 'The endpoint no longer accepts events (410)',
  webhook_disabled: 'The endpoint is disabled',
  worker_crashed: 'The delivery was stopped, because workers crashed while sending it',
}

/** The query may contain a key. */
function addressOf(raw: string): string {
  const { origin, pathname, search } = new URL(raw)
  return shown(`${origin}${pathname}${search && '?…'}`, 160)
}

export const deliveriesLocals = ({
  page,
  receivers,
  filter,
  now,
}: ListInput<SentDelivery> & { receivers: readonly Receiver[] }) => ({
  title: 'Webhooks',
  filter,
  statuses: deliveryStatuses.map((code) => ({ code, title: deliveryWords[code].label })),
  receiversTitle: filter.tenant ? `Endpoints of ${shown(filter.tenant, 80)}` : 'Disabled endpoints',
  hasDisabled: receivers.some(({ status }) => status === 'disabled'),
  receivers: receivers.map(({ tenant, url, status, updatedAt }) => ({
    tenant,
    tenantHref: endpointsOf(tenant),
    isDisabled: status === 'disabled',
    href: `/support/webhooks?tenant=${encodeURIComponent(tenant)}`,
    address: addressOf(url),
    badge: receiverWords[status],
    since: ago(updatedAt, now),
    at: formatTime(updatedAt),
  })),
  rows: page.data.map((delivery) => ({
    href: deliveryPath(delivery),
    tenant: delivery.tenant,
    address: addressOf(delivery.receiver.url),
    isDisabled: delivery.receiver.status === 'disabled',
    event: delivery.event.name,
    badge: deliveryWords[delivery.status],
    attempts: delivery.attempts,
    response: delivery.responseStatus ?? '–',
    problem: delivery.failureReason ? problemWords[delivery.failureReason] : '',
    next: delivery.nextAttemptAt && delivery.nextAttemptAt > now ? `in ${ago(now, delivery.nextAttemptAt)}` : undefined,
    at: formatTime(delivery.createdAt),
  })),
})

export const replayLocals = (delivery: Delivery, receiver: Pick<Receiver, 'url' | 'status'> | undefined) => ({
  title: 'Webhook delivery',
  tenant: delivery.tenant,
  id: delivery.id,
  event: delivery.event.name,
  badge: deliveryWords[delivery.status],
  facts: [
    ['Endpoint', receiver ? addressOf(receiver.url) : 'deleted'],
    ['Endpoint status', receiver ? receiverWords[receiver.status].label : 'deleted'],
    ['Event', delivery.event.id],
    ['Attempts', String(delivery.attempts)],
    ['Last response', delivery.responseStatus === undefined ? 'none' : String(delivery.responseStatus)],
    ['Problem', delivery.failureReason ? problemWords[delivery.failureReason] : 'none'],
    ['Created', `${formatTime(delivery.createdAt).text} UTC`],
  ],
  isDisabled: receiver?.status === 'disabled',
  endpointsHref: endpointsOf(delivery.tenant),
  action: `${deliveryPath(delivery)}/replay`,
})

const endpointsOf = (tenant: string) => `/support/tenants/${encodeURIComponent(tenant)}#webhooks`

const deliveryPath = ({ tenant, id }: Delivery) =>
  `/support/webhooks/${encodeURIComponent(tenant)}/${encodeURIComponent(id)}`
