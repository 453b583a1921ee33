import type { AuditEntry } from '../../../src/onboarding/domain/audit.ts'
import { Failure, missing } from '../../../src/onboarding/domain/failure.ts'
import { clientSnapshot, type OAuthClient } from '../../../src/onboarding/domain/integration.ts'
import type { Tokens } from '../../../src/onboarding/domain/ports/shared.ts'
import type { Tenants } from '../../../src/onboarding/domain/ports/tenants.ts'
import { type Tenant, tenantSnapshot } from '../../../src/onboarding/domain/tenant.ts'
import { note, withChange } from './audit.ts'
import { pageOf } from './pages.ts'
import { assertTenant, byText, change, inSeconds, isPast, type Store, type TenantRow } from './tables.ts'

export const memoryTenants = (store: Store, tokens: Pick<Tokens, 'fingerprint'>): Tenants => ({
  find: async (id) => {
    const row = store.tables.tenants.get(id)
    return row && toTenant(row)
  },
  async put(tenant, signingSecret, audit) {
    const { tenants } = store.tables
    const others = [...tenants.values()].filter(({ id }) => id !== tenant.id)
    if (others.some(({ workspace }) => workspace === tenant.workspace)) {
      throw new Failure('workspace_taken', 'Another tenant already has this workspace.')
    }
    const known = tenants.get(tenant.id)
    const at = store.now()
    const row = known
      ? { ...known, ...tenant, updatedAt: at }
      : { ...tenant, signingSecret, next: undefined, createdAt: at, updatedAt: at }
    tenants.set(tenant.id, row)
    const before = known && tenantSnapshot(known)
    note(store, withChange(audit, { before, after: tenantSnapshot(row) }))
    return { tenant: toTenant(row), created: !known }
  },
  list: async ({ cursor, limit }) => {
    const rows = [...store.tables.tenants.values()].map(toTenant).sort(byText(({ id }) => id))
    return pageOf(
      rows.filter(({ id }) => cursor === undefined || id > cursor),
      limit,
      ({ id }) => id,
    )
  },
  ...signingSecrets(store),
  ...ownClients(store, tokens),
})

const toTenant = ({ signingSecret: _, next: __, ...tenant }: TenantRow): Tenant => tenant

type SigningSecrets = Pick<Tenants, 'signingSecret' | 'rotateSigningSecret' | 'forgetSigningSecrets'>

function signingSecrets(store: Store): SigningSecrets {
  const { tenants } = store.tables
  const signing = ({ signingSecret, next }: TenantRow) =>
    next && isPast(store, next.signsFrom) ? next.secret : signingSecret
  return {
    async signingSecret(id) {
      const row = tenants.get(id)
      if (!row) throw missing('tenant')
      return signing(row)
    },
    async rotateSigningSecret(id, secret, afterSeconds, audit) {
      const row = tenants.get(id)
      if (!row) return undefined
      const signsFrom = inSeconds(store, afterSeconds)
      const isAtOnce = afterSeconds === 0
      change(tenants, id, {
        signingSecret: isAtOnce ? secret : signing(row),
        next: isAtOnce ? undefined : { secret, signsFrom },
        updatedAt: store.now(),
      })
      note(store, audit)
      return signsFrom
    },
    async forgetSigningSecrets() {
      for (const row of tenants.values()) {
        if (isPast(store, row.next?.signsFrom)) {
          change(tenants, row.id, { signingSecret: signing(row), next: undefined })
        }
      }
    },
  }
}

type OwnClients = Pick<Tenants, 'ownClient' | 'ownClients' | 'putOwnClient' | 'deleteOwnClient'>

function ownClients(store: Store, tokens: Pick<Tokens, 'fingerprint'>): OwnClients {
  const { clients } = store.tables
  const keyOf = (tenant: string, integration: string) => JSON.stringify([tenant, integration])
  const snapshot = (integration: string, { id, secret }: OAuthClient) =>
    clientSnapshot(integration, id, secret && tokens.fingerprint(secret))
  return {
    ownClient: async (tenant, integration) => clients.get(keyOf(tenant, integration))?.client,
    ownClients: async (tenant) =>
      [...clients.values()]
        .filter((row) => row.tenant === tenant)
        .sort(byText(({ integration }) => integration))
        .map(({ tenant: _, client: __, ...own }) => own),
    async putOwnClient(tenant, integration, client, audit: AuditEntry) {
      assertTenant(store, tenant)
      const known = clients.get(keyOf(tenant, integration))
      const at = store.now()
      const own = { clientId: client.id, hasSecret: client.secret !== undefined, updatedAt: at }
      clients.set(keyOf(tenant, integration), {
        tenant,
        integration,
        client,
        createdAt: known?.createdAt ?? at,
        ...own,
      })
      const before = known && snapshot(integration, known.client)
      note(store, withChange(audit, { before, after: snapshot(integration, client) }))
    },
    async deleteOwnClient(tenant, integration, audit) {
      const known = clients.get(keyOf(tenant, integration))
      if (!known) return false
      clients.delete(keyOf(tenant, integration))
      note(store, withChange(audit, { before: snapshot(integration, known.client) }))
      return true
    },
  }
}
