import { Secret } from '../../../src/kit/crypto/secret.ts'
import { type ApiKey, apiKeyStatus } from '../../../src/onboarding/domain/api-key.ts'
import type { Tokens } from '../../../src/onboarding/domain/ports/shared.ts'
import type { ApiKeys } from '../../../src/onboarding/domain/ports/tenants.ts'
import { note } from './audit.ts'
import { fits, newestFirst } from './pages.ts'
import { type ApiKeyRow, assertTenant, change, type Store } from './tables.ts'

export function memoryApiKeys(store: Store, tokens: Pick<Tokens, 'fresh' | 'id' | 'digest'>): ApiKeys {
  const { apiKeys } = store.tables
  const uses = new Map<string, Date>()
  return {
    async create({ name, tenant, testMode = false, purpose, expiresAt }, actor, reason) {
      if (tenant !== undefined) assertTenant(store, tenant)
      const id = tokens.id('key')
      const key = `${testMode ? 'cwk_test_' : 'cwk_'}${tokens.fresh()}`
      const about = { lastFour: key.slice(-4), createdAt: store.now(), lastUsedAt: undefined, revokedAt: undefined }
      apiKeys.set(id, { id, name, tenant, testMode, purpose, digest: tokens.digest(key), expiresAt, ...about })
      const facts = { name, testMode: testMode || undefined, purpose, expiresAt: expiresAt?.toISOString() }
      note(store, { action: 'key.created', actor, subject: { kind: 'api_key', id }, tenant, reason, facts })
      return { id, key: new Secret(key) }
    },
    async find(id) {
      const row = apiKeys.get(id)
      return row && listed(row)
    },
    async list({ tenant, cursor, limit }) {
      const wanted = [...apiKeys.values()].filter((row) => fits(row, { tenant })).map(listed)
      return newestFirst(wanted, { cursor, limit })
    },
    async revoke(id, actor, reason) {
      const row = apiKeys.get(id)
      if (!row || row.revokedAt) return false
      change(apiKeys, id, { revokedAt: store.now() })
      const subject = { kind: 'api_key' as const, id }
      note(store, { action: 'key.revoked', actor, subject, tenant: row.tenant, reason })
      return true
    },
    async caller(key) {
      const digest = tokens.digest(key.reveal())
      const row = [...apiKeys.values()].find((each) => each.digest === digest)
      if (!row || apiKeyStatus(row, store.now()) !== 'active') return undefined
      uses.set(row.id, store.now())
      return { keyId: row.id, tenant: row.tenant, testMode: row.testMode, purpose: row.purpose }
    },
    async recordUses() {
      for (const [id, lastUsedAt] of uses) change(apiKeys, id, { lastUsedAt })
      uses.clear()
    },
  } satisfies Partial<ApiKeys> as ApiKeys
}

const listed = ({ digest: _, ...key }: ApiKeyRow): ApiKey => key
