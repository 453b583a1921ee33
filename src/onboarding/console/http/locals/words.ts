import { type AppIcon, monogram } from '../../../domain/catalogue/app-icon.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import type { Connection, ConnectionStatus } from '../../../domain/connection.ts'
import { type EndUser, type Link, type LinkStatus, statusOf } from '../../../domain/link.ts'
import type { TenantEventName } from '../../../domain/tenant-event.ts'
import type { DeliveryStatus } from '../../../domain/webhooks/delivery.ts'

/** For untrusted text: truncates it and escapes invisible and direction-changing characters. */
export function shown(text: string, max = 200): string {
  const visible = text.replace(hidden, (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
  return visible.length > max ? `${visible.slice(0, max - 1)}…` : visible
}

// Control characters and the Unicode classes Cf, Zl and Zp (zero width, direction and line marks).
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export function languageName(locale: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(locale) ?? locale
  } catch {
    return shown(locale, 40)
  }
}

/** With the tenant's name for it, which tells accounts of one person apart. */
export function accountName({ account, alias }: Connection): string | undefined {
  const label = account && shown(account.label, 80)
  return alias === undefined ? label : `${label ?? 'Account unknown'} (${alias})`
}

export const formatTime = (at: Date) => ({
  iso: at.toISOString(),
  text: `${at.toISOString().slice(0, 10)} ${at.toISOString().slice(11, 19)}`,
})

export function ago(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, ms)} ms`
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`
  return ago(new Date(0), new Date(ms))
}

const statusWords: Record<ConnectionStatus, string> = {
  not_linked: 'No account yet',
  active: 'Active',
  needs_relink: 'Reconnect needed',
  disconnected: 'Disconnected',
}

const statusBadges: Record<ConnectionStatus, string> = {
  not_linked: 'none',
  active: 'linked',
  needs_relink: 'needs_attention',
  disconnected: 'none',
}

export const connectionBadge = ({ status }: Pick<Connection, 'status'>) => ({
  status: statusBadges[status],
  label: statusWords[status],
})

const linkWords: Record<LinkStatus, string> = {
  pending: 'In progress',
  linked: 'Linked',
  cancelled: 'Cancelled',
  denied: 'Denied',
  abandoned: 'Not completed',
  failed: 'Failed',
  needs_attention: 'Needs attention',
}

export function linkBadge({ state }: Pick<Link, 'state'>) {
  const status = statusOf(state)
  return { status: status === 'abandoned' || status === 'cancelled' ? 'none' : status, label: linkWords[status] }
}

export const deliveryBadges: Record<DeliveryStatus, { status: string; label: string }> = {
  pending: { status: 'pending', label: 'Pending' },
  delivered: { status: 'linked', label: 'Delivered' },
  dead: { status: 'failed', label: 'Failed' },
}

/** Undefined if no step of the link has failed. */
export function retryWords({ attempts, nextAttemptAt }: Pick<Link, 'attempts' | 'nextAttemptAt'>, now: Date) {
  if (attempts === 0) return undefined
  return {
    attempts: attempts === 1 ? '1 attempt' : `${attempts} attempts`,
    next: nextAttemptAt ? `next attempt ${nextAttempt(nextAttemptAt, now)}` : 'running now',
  }
}

export const nextAttempt = (at: Date | undefined, now: Date): string =>
  !at ? 'running now' : at > now ? `in ${ago(now, at)}` : 'due now'

/** Why a list must be empty, if its filter shows the reason. */
export const emptyAdvice = ({ from, to }: Record<string, string | undefined>): string | undefined =>
  from && to && from > to ? 'The first day is after the last one. Swap the two.' : undefined

export type NameOfIntegration = (id: string) => string

/** An integration that is no longer configured is shown by its ID. */
export function integrationNames(integrations: readonly CatalogueItem[]): NameOfIntegration {
  const names = new Map(integrations.map(({ id, displayName }) => [id, displayName]))
  return (id) => names.get(id) ?? shown(id, 80)
}

export type AppNamed = (id: string) => { name: string; icon: AppIcon }

export function appsIn(integrations: readonly CatalogueItem[]): AppNamed {
  const apps = new Map(integrations.map(({ id, displayName, icon }) => [id, { name: displayName, icon }]))
  return (id) => apps.get(id) ?? { name: shown(id, 80), icon: monogram(id) }
}

/** The API takes IDs of up to 200 characters. */
export const personHref = (tenant: string, endUserId: string): string =>
  `/support/tenants/${encodeURIComponent(tenant)}/users?id=${encodeURIComponent(endUserId.slice(0, 200))}`

export const personName = ({ email, displayName, id }: EndUser): string => shown(email ?? displayName ?? id, 80)

export const linkKindWords: Record<Link['kind'], string> = { first: 'Connect', relink: 'Reconnect', import: 'Import' }

/** The notice for `?done=` after a redirect. */
export const doneWordsIn = <Name extends string>(words: Readonly<Record<Name, string>>, done: unknown) =>
  typeof done === 'string' && Object.hasOwn(words, done) ? words[done as Name] : undefined

export const eventWords: Record<TenantEventName, string> = {
  'link.succeeded': 'Account connected',
  'link.failed': 'Account not connected',
  'connection.relinked': 'Reconnected',
  'connection.needs_relink': 'Reconnect needed',
  'connection.health_unknown': 'Health unknown',
  'connection.grant_ends_soon': 'Access ends soon',
  'connection.tools_changed': 'Tools changed',
  'connection.approval_requested': 'Call waits for a person',
  'connection.approval_decided': 'Call decided by a person',
  'connection.disconnected': 'Disconnected',
  'end_user.erased': 'End user erased',
  'tenant.deleted': 'Tenant deleted',
  'audit.recorded': 'Audit recorded (batches of the audit log)',
}
