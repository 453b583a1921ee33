import { Failure, missing } from '../../../src/onboarding/domain/failure.ts'
import { clientSnapshot, type OAuthClient } from '../../../src/onboarding/domain/integration.ts'
import type { Tokens } from '../../../src/onboarding/domain/ports/shared.ts'
import type { Tenants } from '../../../src/onboarding/domain/ports/tenants.ts'
import { assertKept, isInSight, type Tenant, tenantSnapshot } from '../../../src/onboarding/domain/tenant.ts'
import { note, withChange } from './audit.ts'
import { memoryLogos } from './logos.ts'
import { pageOf } from './pages.ts'
import { assertTenant, byText, change, inSeconds, isPast, type Store, type TenantRow } from './tables.ts'

export function memoryTenants(store: Store, tokens: Pick<Tokens, 'fingerprint'>): Tenants {
  const { tenants } = store.tables
  const find = async (id: string) => {
    const row = tenants.get(id)
    return row && toTenant(row)
  }
  const create: Tenants['create'] = async (tenant, signingSecret, audit) => {
    if (tenants.has(tenant.id)) return undefined
    assertWorkspaceFree(store, tenant)
    const times = { createdAt: store.now(), updatedAt: store.now() }
    const set = { branding: tenant.branding ?? {}, logos: {}, maxConnectionsPerUser: tenant.maxConnectionsPerUser ?? 0 }
    const row = { ...tenant, ...set, signingSecret, next: undefined, ...times }
    tenants.set(tenant.id, { ...row, status: 'active' })
    note(store, withChange(audit, { before: undefined, after: tenantSnapshot(tenant) }))
    return find(tenant.id)
  }
  const update: Tenants['update'] = async (id, changes, audit) => {
    const before = tenants.get(id)
    if (!before) return undefined
    assertKept(before)
    const after = {
      ...before,
      workspace: changes.workspace ?? before.workspace,
      displayName: changes.displayName ?? before.displayName,
      returnUrls: changes.returnUrls ?? before.returnUrls,
      branding: changes.branding ?? before.branding,
      maxConnectionsPerUser: changes.maxConnectionsPerUser ?? before.maxConnectionsPerUser,
      updatedAt: store.now(),
    }
    assertWorkspaceFree(store, after)
    tenants.set(id, after)
    note(store, withChange(audit, { before: tenantSnapshot(before), after: tenantSnapshot(after) }))
    return toTenant(after)
  }
  return {
    find,
    refresh: find,
    create,
    update,
    async put(tenant, signingSecret, audit) {
      const created = await create(tenant, signingSecret, audit)
      const put = created ?? (await update(tenant.id, tenant, audit))
      return { tenant: put as Tenant, created: created !== undefined }
    },
    async changeStatus(id, to, audit) {
      const before = tenants.get(id)
      if (!before || before.status === to) return undefined
      assertKept(before)
      const after = change(tenants, id, { status: to, updatedAt: store.now() })
      note(store, withChange(audit, { before: { status: before.status }, after: { status: to } }))
      return after && toTenant(after)
    },
    list: async ({ testMode, cursor, limit }) => {
      const rows = [...tenants.values()].filter(
        ({ id, status }) => status !== 'deleted' && id > (cursor ?? '') && isInSight({ testMode }, id),
      )
      return pageOf(rows.map(toTenant).sort(byText(({ id }) => id)), limit, ({ id }) => id)
    },
    ...signingSecrets(store),
    ...ownClients(store, tokens),
    ...memoryLogos(store),
  } satisfies Partial<Tenants> as Tenants
}

function assertWorkspaceFree({ tables }: Store, { id, workspace }: Pick<Tenant, 'id' | 'workspace'>): void {
  const isTaken = (row: TenantRow) => row.id !== id && row.workspace === workspace && row.status !== 'deleted'
  if ([...tables.tenants.values()].some(isTaken)) {
    throw new Failure('workspace_taken', 'Another tenant already has this workspace.')
  }
}

const toTenant = ({ signingSecret: _, next: __, ...tenant }: TenantRow): Tenant => tenant

type SigningSecrets = Pick<Tenants, 'signingSecret' | 'rotateSigningSecret' | 'forgetSigningSecrets'>

function signingSecrets(store: Store): SigningSecrets {
  const { tenants } = store.tables
  const signing = ({ signingSecret, next }: TenantRow) =>
    next && isPast(store, next.activeFrom) ? next.secret : signingSecret
  return {
    async signingSecret(id) {
      const row = tenants.get(id)
      const secret = row && signing(row)
      if (!secret) throw missing('tenant')
      return secret
    },
    async rotateSigningSecret(id, secret, afterSeconds, audit) {
      const row = tenants.get(id)
      if (!row || row.status === 'deleting' || row.status === 'deleted') return undefined
      const activeFrom = inSeconds(store, afterSeconds)
      const isAtOnce = afterSeconds === 0
      change(tenants, id, {
        signingSecret: isAtOnce ? secret : signing(row),
        next: isAtOnce ? undefined : { secret, activeFrom },
        updatedAt: store.now(),
      })
      note(store, audit)
      return activeFrom
    },
    async forgetSigningSecrets() {
      for (const row of tenants.values()) {
        if (isPast(store, row.next?.activeFrom)) {
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
    async putOwnClient(tenant, integration, client, audit) {
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
