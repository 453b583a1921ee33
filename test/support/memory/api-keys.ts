import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { Tokens } from '../../../src/onboarding/domain/ports/shared.ts'
import type { ApiKeys } from '../../../src/onboarding/domain/ports/tenants.ts'
import { note } from './audit.ts'
import { assertTenant, byText, change, type Store } from './tables.ts'

export function memoryApiKeys(store: Store, tokens: Pick<Tokens, 'fresh' | 'id' | 'digest'>): ApiKeys {
  const { apiKeys } = store.tables
  return {
    async create({ name, tenant, testMode = false }, actor) {
      if (tenant !== undefined) assertTenant(store, tenant)
      const id = tokens.id('key')
      const key = `${testMode ? 'cwk_test_' : 'cwk_'}${tokens.fresh()}`
      const about = { lastFour: key.slice(-4), createdAt: store.now(), revokedAt: undefined }
      apiKeys.set(id, { id, name, tenant, testMode, digest: tokens.digest(key), ...about })
      const facts = { name, testMode: testMode || undefined }
      note(store, { action: 'key.created', actor, subject: { kind: 'api_key', id }, tenant, facts })
      return { id, key: new Secret(key) }
    },
    list: async () => [...apiKeys.values()].map(({ digest: _, ...key }) => key).sort(byText(({ id }) => id)),
    async revoke(id, actor) {
      const row = apiKeys.get(id)
      if (!row || row.revokedAt) return false
      change(apiKeys, id, { revokedAt: store.now() })
      note(store, { action: 'key.revoked', actor, subject: { kind: 'api_key', id } })
      return true
    },
    async caller(key) {
      const digest = tokens.digest(key.reveal())
      const row = [...apiKeys.values()].find((each) => each.digest === digest && !each.revokedAt)
      return row && { keyId: row.id, tenant: row.tenant, testMode: row.testMode }
    },
  }
}
