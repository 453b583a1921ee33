import { type ApiKey, type ApiKeyStatus, apiKeyStatus } from '../../../domain/api-key.ts'
import { filterForm, type Suggested, tenantField } from './lists/filters.ts'
import { ago, formatTime, shown } from './words.ts'

const badges: Record<ApiKeyStatus, { status: string; label: string }> = {
  active: { status: 'linked', label: 'Active' },
  expired: { status: 'none', label: 'Expired' },
  revoked: { status: 'failed', label: 'Revoked' },
}

type Filter = { tenant?: string | undefined }

export const keysLocals = (keys: readonly ApiKey[], filter: Filter, suggested: Suggested, now: Date) => ({
  title: 'API keys',
  filters: filterForm({ path: '/support/keys', main: [tenantField(filter.tenant, suggested)] }),
  newHref: filter.tenant ? `/support/keys/new?tenant=${encodeURIComponent(filter.tenant)}` : '/support/keys/new',
  rows: keys.map((key) => rowOf(key, now)),
})

const rowOf = (key: ApiKey, now: Date) => ({
  href: `/support/keys/${key.id}`,
  name: shown(key.name, 80),
  ending: `…${key.lastFour}`,
  tenant: key.tenant,
  tenantHref: key.tenant && `/support/tenants/${encodeURIComponent(key.tenant)}`,
  isTest: key.testMode,
  isForSettings: key.purpose === 'settings',
  badge: badges[apiKeyStatus(key, now)],
  created: timeOf(key.createdAt, now),
  lastUsed: key.lastUsedAt && timeOf(key.lastUsedAt, now),
  expires: key.expiresAt && timeOf(key.expiresAt, now),
  isExpiringSoon: isExpiringSoon(key, now),
})

const soonMs = 14 * 24 * 60 * 60 * 1_000

const isExpiringSoon = (key: ApiKey, now: Date): boolean =>
  apiKeyStatus(key, now) === 'active' && !!key.expiresAt && key.expiresAt.getTime() - now.getTime() < soonMs

const timeOf = (at: Date, now: Date) => ({
  at: formatTime(at),
  words: at > now ? `in ${ago(now, at)}` : `${ago(at, now)} ago`,
})

export const keyLocals = (key: ApiKey, done: unknown, now: Date) => ({
  ...rowOf(key, now),
  title: shown(key.name, 80),
  id: key.id,
  revoked: key.revokedAt && timeOf(key.revokedAt, now),
  isActive: apiKeyStatus(key, now) === 'active',
  done: done === 'revoked' ? 'The key stops working within a few seconds.' : undefined,
})

export const newKeyLocals = (tenant: string | undefined, { tenants }: Suggested) => ({
  title: 'New API key',
  tenants: tenants.map(({ id, displayName }) => ({ id, name: shown(displayName, 80) })),
  tenant: tenant ?? '',
  back: tenant ? `/support/keys?tenant=${encodeURIComponent(tenant)}` : '/support/keys',
  lifetimes: [
    { value: '30', label: '30 days' },
    { value: '90', label: '90 days' },
    { value: '365', label: '1 year' },
    { value: 'never', label: 'Never' },
  ],
})
