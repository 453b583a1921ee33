// API keys of the sample: one a tenant, and a few that were replaced. Their digests are of no key, so none opens anything.
import { sampleAdmin, sampleTenants } from './cast.ts'
import { type Draft, daySeconds, later, type MakeId } from './draft.ts'

type Needs = { draft: Draft; makeId: MakeId; now: Date }

type Key = {
  name: string
  tenant?: string
  daysAgo: number
  lastUsedMinutes?: number
  expiresInDays?: number
  revokedDaysAgo?: number
}

/** Returns the id of the key that each tenant works with. */
export function addKeys(needs: Needs): Map<string, string> {
  const { id: first = '' } = sampleTenants[0]
  addKey(needs, { name: 'Old portal', tenant: first, daysAgo: 40, lastUsedMinutes: 30_000, revokedDaysAgo: 20 })
  addKey(needs, { name: 'Trial', tenant: first, daysAgo: 34, lastUsedMinutes: 20_000, expiresInDays: -4 })
  addKey(needs, { name: 'Reporting', daysAgo: 31, lastUsedMinutes: 180, expiresInDays: 9 })
  return new Map(
    sampleTenants.map(({ id }, position) => {
      const expires = position % 2 === 0 ? { expiresInDays: 60 + position * 10 } : {}
      return [
        id,
        addKey(needs, { name: 'Server', tenant: id, daysAgo: 32, lastUsedMinutes: 2 + position * 7, ...expires }),
      ]
    }),
  )
}

function addKey({ draft, makeId, now }: Needs, key: Key): string {
  const ago = (days: number) => later(now, -days * daySeconds)
  const createdAt = ago(key.daysAgo)
  const id = makeId('key', createdAt)
  const expiresAt = key.expiresInDays === undefined ? undefined : ago(-key.expiresInDays)
  const revokedAt = key.revokedDaysAgo === undefined ? undefined : ago(key.revokedDaysAgo)
  draft.rows.api_keys.push({
    id,
    digest: `sample:${id}`,
    name: `${key.name} (sample)`,
    tenant: key.tenant ?? null,
    last_four: id.slice(-4),
    created_at: createdAt,
    expires_at: expiresAt ?? null,
    last_used_at: key.lastUsedMinutes === undefined ? null : later(now, -key.lastUsedMinutes * 60),
    revoked_at: revokedAt ?? null,
  })
  const about = { actor: sampleAdmin, subject: { kind: 'api_key' as const, id }, tenant: key.tenant }
  const facts = { name: `${key.name} (sample)`, expiresAt: expiresAt?.toISOString() }
  draft.audit.push({ at: createdAt, entry: { action: 'key.created', ...about, facts } })
  if (revokedAt) draft.audit.push({ at: revokedAt, entry: { action: 'key.revoked', ...about, reason: 'Replaced' } })
  return id
}
