import type { Snapshot } from '../audit/audit.ts'
import type { TenantEventName } from '../tenant-event.ts'

export type Webhook = {
  id: string
  tenant: string
  url: string
  events: TenantEventName[]
  status: WebhookStatus
  previousSecretsExpireAt: Date[]
  createdAt: Date
  updatedAt: Date
}

export const webhookStatuses = ['active', 'disabled'] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

/** Only the origin is stored; path and query may contain secrets. */
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

export const maxWebhooks = 10

/** Time for a receiver to deploy the new secret while both sign. Each overlap adds a signature to every message. */
export const secretRotation = { overlapSeconds: 24 * 60 * 60, maxEarlier: 5 }

/** Standard Webhooks: the prefix, then 24 to 64 random bytes in base64. */
export const webhookSecret = (random: string): string =>
  `whsec_${random.replaceAll('-', '+').replaceAll('_', '/').padEnd(44, '=')}`

/** Returns an error, or undefined. Checked again at each delivery. */
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
