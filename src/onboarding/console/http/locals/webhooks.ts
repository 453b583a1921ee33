import type { Receiver, SentDelivery } from '../../../domain/ports/support-ledger.ts'
import {
  type Delivery,
  type DeliveryFailureReason,
  type DeliveryStatus,
  deliveryStatuses,
  type WebhookStatus,
} from '../../../domain/webhook.ts'
import type { Listed } from './lists.ts'
import { ago, moment, shown } from './words.ts'

const deliveryWords: Record<DeliveryStatus, { status: string; label: string }> = {
  pending: { status: 'pending', label: 'On its way' },
  delivered: { status: 'linked', label: 'Delivered' },
  dead: { status: 'failed', label: 'Given up' },
}

const receiverWords: Record<WebhookStatus, { status: string; label: string }> = {
  active: { status: 'linked', label: 'Takes messages' },
  disabled: { status: 'failed', label: 'Disabled' },
}

const troubleWords: Record<DeliveryFailureReason, string> = {
  blocked: 'Its address is one that we do not call',
  unreachable: 'The receiver could not be reached',
  unanswered: 'The receiver did not answer in time',
  too_large: 'The receiver answered too much to be read',
  redirected: 'The receiver sent us elsewhere, and we do not follow',
  refused: 'The receiver answered with an error',
  gone: 'The receiver said that it wants no more messages',
  webhook_disabled: 'Its webhook is disabled',
}

/** A query may carry a key of the receiver's, which is nobody's business here. */
function addressOf(raw: string): string {
  const { origin, pathname, search } = new URL(raw)
  return shown(`${origin}${pathname}${search && '?…'}`, 160)
}

export const deliveriesLocals = ({
  page,
  receivers,
  filter,
  now,
}: Listed<SentDelivery> & { receivers: readonly Receiver[] }) => ({
  title: 'Webhooks',
  filter,
  statuses: deliveryStatuses.map((code) => ({ code, title: deliveryWords[code].label })),
  receiversTitle: filter.tenant ? `Receivers of ${shown(filter.tenant, 80)}` : 'Receivers that are disabled',
  receivers: receivers.map(({ tenant, url, status, updatedAt }) => ({
    tenant,
    href: `/support/webhooks?tenant=${encodeURIComponent(tenant)}`,
    address: addressOf(url),
    badge: receiverWords[status],
    since: ago(updatedAt, now),
    at: moment(updatedAt),
  })),
  rows: page.data.map((delivery) => ({
    href: deliveryPath(delivery),
    tenant: delivery.tenant,
    address: addressOf(delivery.receiver.url),
    isDisabled: delivery.receiver.status === 'disabled',
    event: delivery.event.name,
    badge: deliveryWords[delivery.status],
    tries: delivery.attempts,
    answered: delivery.responseStatus ?? '–',
    trouble: delivery.failureReason ? troubleWords[delivery.failureReason] : '',
    next: delivery.nextAttemptAt && delivery.nextAttemptAt > now ? `in ${ago(now, delivery.nextAttemptAt)}` : undefined,
    at: moment(delivery.createdAt),
  })),
})

export const replayLocals = (delivery: Delivery, receiver: Pick<Receiver, 'url' | 'status'> | undefined) => ({
  title: 'Replay',
  tenant: delivery.tenant,
  id: delivery.id,
  event: delivery.event.name,
  badge: deliveryWords[delivery.status],
  facts: [
    ['Receiver', receiver ? addressOf(receiver.url) : 'deleted'],
    ['Its state', receiver ? receiverWords[receiver.status].label : 'deleted'],
    ['Event', delivery.event.id],
    ['Tries', String(delivery.attempts)],
    ['Last answer', delivery.responseStatus === undefined ? 'none' : String(delivery.responseStatus)],
    ['Trouble', delivery.failureReason ? troubleWords[delivery.failureReason] : 'none'],
    ['Made', `${moment(delivery.createdAt).text} UTC`],
  ],
  isDisabled: receiver?.status === 'disabled',
  action: `${deliveryPath(delivery)}/replay`,
})

const deliveryPath = ({ tenant, id }: Delivery) =>
  `/support/webhooks/${encodeURIComponent(tenant)}/${encodeURIComponent(id)}`
