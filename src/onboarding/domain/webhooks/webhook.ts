// A webhook is an address of a tenant that is told what happens.
import type { Snapshot } from '../audit/audit.ts'
import type { TenantEventName } from '../tenant-event.ts'

export type Webhook = {
  id: string
  tenant: string
  url: string
  events: TenantEventName[]
  status: WebhookStatus
  /** Messages are also signed with each secret before this one, until its time is over. The oldest first. */
  previousSecretsExpireAt: Date[]
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

export const mostWebhooks = 10

/**
 * A receiver has this long to learn the new secret; until then both sign. Each further rotation adds a signature to
 * every message, so there is an end to how many can overlap.
 */
export const secretRotation = { overlapSeconds: 24 * 60 * 60, mostEarlier: 5 }

/** Standard Webhooks: the prefix, then 24 to 64 random bytes in base64. */
export const webhookSecret = (random: string): string =>
  `whsec_${random.replaceAll('-', '+').replaceAll('_', '/').padEnd(44, '=')}`

/** What is wrong with an address as an endpoint; undefined if it is sound. It is checked again at each delivery. */
export function webhookUrlError(raw: string, mayCall: (url: string) => boolean): string | undefined {
  if (/[\s\\\p{Cc}]/u.test(raw)) return 'must not contain spaces, control characters or backslashes'
  if (!URL.canParse(raw)) return 'must be an absolute address'
  const url = new URL(raw)
  if (url.username || url.password) return 'must not carry a user name or password'
  if (raw.includes('#')) return 'must not carry a fragment'
  if (!mayCall(raw))
    return 'must be an https address of a public host, on the usual port; for your own machine use causeway listen'
  return url.href === raw ? undefined : `must be written in its normal form, ${url.href}`
}
