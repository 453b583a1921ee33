import type { Receiver, SentDelivery } from '../../../domain/ports/support-ledger.ts'
import { type Delivery, type DeliveryFailureReason, webhookMessage } from '../../../domain/webhooks/delivery.ts'
import type { WebhookStatus } from '../../../domain/webhooks/webhook.ts'
import { filterForm, filterOptions, type Suggested, selectField, tenantField } from './lists/filters.ts'
import type { ListInput } from './lists/lists.ts'
import { ago, deliveryBadges, eventWords, formatTime, shown } from './words.ts'

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
  suggested,
  now,
}: ListInput<SentDelivery> & { receivers: readonly Receiver[]; suggested: Suggested }) => ({
  title: 'Webhooks',
  filters: filterForm({
    path: '/support/webhooks',
    main: [tenantField(filter.tenant, suggested), selectField('status', filter.status, filterOptions.deliveryStatus)],
  }),
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
    tenantHref: `/support/tenants/${encodeURIComponent(delivery.tenant)}`,
    host: new URL(delivery.receiver.url).host,
    isDisabled: delivery.receiver.status === 'disabled' && delivery.failureReason !== 'webhook_disabled',
    event: eventWords[delivery.event.name],
    badge: deliveryBadges[delivery.status],
    note: noteOn(delivery, now),
    since: ago(delivery.createdAt, now),
    at: formatTime(delivery.createdAt),
  })),
})

/** The status of a response says in fewer words what was wrong. */
function noteOn({ attempts, responseStatus, failureReason, nextAttemptAt }: Delivery, now: Date): string {
  return [
    attempts > 0 && (attempts === 1 ? '1 attempt' : `${attempts} attempts`),
    responseStatus ?? (failureReason && problemWords[failureReason]),
    nextAttemptAt && nextAttemptAt > now && `next in ${ago(now, nextAttemptAt)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

export const replayLocals = (delivery: Delivery, receiver: Pick<Receiver, 'url' | 'status'> | undefined) => ({
  title: 'Webhook delivery',
  tenant: delivery.tenant,
  id: delivery.id,
  event: eventWords[delivery.event.name],
  badge: deliveryBadges[delivery.status],
  facts: [
    ['Endpoint', receiver ? addressOf(receiver.url) : 'deleted'],
    ['Endpoint status', receiver ? receiverWords[receiver.status].label : 'deleted'],
    ['Event', delivery.event.id],
    ['Attempts', String(delivery.attempts)],
    ['Last response', delivery.responseStatus === undefined ? 'none' : String(delivery.responseStatus)],
    ['Problem', delivery.failureReason ? problemWords[delivery.failureReason] : 'none'],
    ['Created', formatTime(delivery.createdAt)],
  ],
  message: messageShown(delivery),
  isDisabled: receiver?.status === 'disabled',
  endpointsHref: endpointsOf(delivery.tenant),
  action: `${deliveryPath(delivery)}/replay`,
})

/** The message as sent, without the signature. */
const messageShown = ({ tenant, event }: Delivery): string =>
  JSON.stringify(JSON.parse(webhookMessage(tenant, event)), null, 2)
    .split('\n')
    .map((line) => shown(line, 500))
    .join('\n')

const endpointsOf = (tenant: string) => `/support/tenants/${encodeURIComponent(tenant)}#webhooks`

const deliveryPath = ({ tenant, id }: Delivery) =>
  `/support/webhooks/${encodeURIComponent(tenant)}/${encodeURIComponent(id)}`
