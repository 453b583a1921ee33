// A webhook is an address of a tenant that is told what happens; a delivery is one event on its way to one of them.
import type { Snapshot } from './audit.ts'
import type { TenantEventName } from './tenant-event.ts'

export type Webhook = {
  id: string
  tenant: string
  url: string
  events: TenantEventName[]
  status: WebhookStatus
  /** Messages are also signed with each secret before this one, until its time is over. The oldest first. */
  earlierSecretsUntil: Date[]
  createdAt: Date
  updatedAt: Date
}

export const webhookStatuses = ['active', 'disabled'] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

/**
 * What the audit keeps of a webhook before and after a change. Of its address the origin alone: in the path, as in the
 * query, may stand a word that only the receiver should know.
 */
export const webhookSnapshot = ({
  id,
  url,
  events,
  status,
}: Pick<Webhook, 'id' | 'url' | 'events' | 'status'>): Snapshot => ({
  webhook: id,
  url: new URL(url).origin,
  events,
  status,
})

export type Delivery = {
  id: string
  webhook: string
  tenant: string
  event: OutboxEvent
  status: DeliveryStatus
  attempts: number
  /** What the receiver last answered, when it did. */
  answeredStatus: number | undefined
  trouble: DeliveryTrouble | undefined
  nextTryAt: Date | undefined
  deliveredAt: Date | undefined
  createdAt: Date
}

export type OutboxEvent = { id: string; name: TenantEventName; payload: Record<string, unknown>; at: Date }

export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Why the last try did not count. Never anything the receiver wrote. */
export const deliveryTroubles = [
  'blocked',
  'unreachable',
  'unanswered',
  'too_large',
  'redirected',
  'refused',
  'gone',
  'webhook_disabled',
] as const
export type DeliveryTrouble = (typeof deliveryTroubles)[number]

export const mostWebhooks = 10

/**
 * A receiver has this long to learn the new secret; until then both sign. Each further rotation adds a signature to
 * every message, so there is an end to how many can overlap.
 */
export const secretRotation = { overlapSeconds: 24 * 60 * 60, mostEarlier: 5 }

/** Standard Webhooks: the prefix, then 24 to 64 random bytes in base64. */
export const webhookSecret = (random: string): string =>
  `whsec_${random.replaceAll('-', '+').replaceAll('_', '/').padEnd(44, '=')}`

/** Says what is wrong with an address as a receiver, or nothing. Where it leads is looked at again at each delivery. */
export function webhookUrlTrouble(raw: string, mayCall: (url: string) => boolean): string | undefined {
  if (/[\s\\\p{Cc}]/u.test(raw)) return 'must not contain spaces, control characters or backslashes'
  if (!URL.canParse(raw)) return 'must be an absolute address'
  const url = new URL(raw)
  if (url.username || url.password) return 'must not carry a user name or password'
  if (raw.includes('#')) return 'must not carry a fragment'
  if (!mayCall(raw)) return 'must be an https address of a public host, on the usual port'
  return url.href === raw ? undefined : `must be written in its normal form, ${url.href}`
}

/** The message as it is signed and sent: thin, and the same in every try. */
export const webhookMessage = (tenant: string, { name, at, payload }: OutboxEvent): string =>
  JSON.stringify({ type: name, timestamp: at.toISOString(), data: { tenant, ...payload } })

export type SendResult =
  | { answered: number; retryAfterSeconds: number | undefined }
  | { trouble: 'blocked' | 'unreachable' | 'unanswered' | 'too_large' }

export type Verdict =
  | { next: 'delivered' }
  | { next: 'later'; delaySeconds: number; trouble: DeliveryTrouble }
  | { next: 'dead'; trouble: DeliveryTrouble }
  /** The receiver wants no more messages at all. */
  | { next: 'disable' }

/** What one try means for the delivery; `attempts` counts it, `chance` (0 to 1) keeps many from trying in step. */
export function judgeDelivery(result: SendResult, attempts: number, chance: number): Verdict {
  if ('answered' in result && result.answered >= 200 && result.answered < 300) return { next: 'delivered' }
  if ('answered' in result && result.answered === 410) return { next: 'disable' }
  const trouble = troubleOf(result)
  const wait = waits[attempts - 1]
  if (wait === undefined) return { next: 'dead', trouble }
  const asked = 'answered' in result ? (result.retryAfterSeconds ?? 0) : 0
  return { next: 'later', delaySeconds: Math.max(wait * (1 + 0.2 * chance), Math.min(asked, longestAsked)), trouble }
}

function troubleOf(result: SendResult): DeliveryTrouble {
  if ('trouble' in result) return result.trouble
  return result.answered >= 300 && result.answered < 400 ? 'redirected' : 'refused'
}

const minute = 60
const hour = 60 * minute

/** Together a day and a half: a receiver that breaks on a weekend evening is repaired before the last try. */
const waits = [5, 30, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 10 * hour, 12 * hour]

const longestAsked = hour
