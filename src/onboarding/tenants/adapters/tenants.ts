import type pg from 'pg'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { one, type Queryable, row, rows, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import { inMode } from '../../adapters/postgres/statement-parts.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import { Failure } from '../../domain/failure.ts'
import type { NewTenant, StatusEntry, Tenants } from '../../domain/ports/tenants.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { assertKept, type TenantChanges, type TenantDetails, tenantSnapshot } from '../../domain/tenant.ts'
import { postgresLogos } from './logos.ts'
import { type Fingerprints, postgresOwnClients } from './own-clients.ts'
import { postgresSigningSecrets } from './signing-secrets.ts'
import { tenantColumns as columns, TenantRow } from './tenant-row.ts'

export function postgresTenants(pool: pg.Pool, box: SealedBox, tokens: Fingerprints): Tenants {
  const find = (id: string) => row(pool, TenantRow, sql`select ${columns} from tenants where id = ${id}`)
  const changing = <T>(act: (transaction: Queryable) => Promise<T>) =>
    inTransaction(pool, act).catch(throwTakenWorkspace)
  const sealed = (id: string, secret: Parameters<SealedBox['seal']>[0]) =>
    box.seal(secret, sealContext.signingSecret(id))

  return {
    find,
    refresh: find,
    create: (tenant, signingSecret, audit) =>
      changing((transaction) => insert(transaction, tenant, sealed(tenant.id, signingSecret), audit)),
    put: (tenant, signingSecret, audit) =>
      changing(async (transaction) => {
        const made = await insert(transaction, tenant, sealed(tenant.id, signingSecret), audit)
        if (made) return { tenant: made, created: true }
        const changed = await change(transaction, tenant.id, tenant, audit)
        if (!changed) throw new Error('a tenant that was there a moment ago is never deleted')
        return { tenant: changed, created: false }
      }),
    update: (id, changes, audit) => changing((transaction) => change(transaction, id, changes, audit)),
    changeStatus: (id, to, audit) => changing((transaction) => changeStatus(transaction, id, to, audit)),
    async list({ testMode, cursor, limit }) {
      const found = await rows(
        pool,
        TenantRow,
        sql`
          select ${columns} from tenants
          where status <> 'deleted' and id > ${cursor ?? ''} and ${inMode(testMode, 'id')}
          order by id limit ${limit + 1}`,
      )
      return pageOf(found, limit, ({ id }) => id)
    },
    ...postgresSigningSecrets(pool, box),
    ...postgresOwnClients(pool, box, tokens),
    ...postgresLogos(pool),
  }
}

/** Returns undefined if the id is taken. */
async function insert(transaction: Queryable, tenant: NewTenant, secret: string, audit: EntryOf<'tenant.put'>) {
  const made = await row(
    transaction,
    TenantRow,
    sql`
      insert into tenants (id, workspace, display_name, return_urls, branding, max_connections_per_user, signing_secret)
      values (${tenant.id}, ${tenant.workspace}, ${tenant.displayName}, ${tenant.returnUrls},
        ${JSON.stringify(tenant.branding ?? {})}, ${tenant.maxConnectionsPerUser ?? 0}, ${secret})
      on conflict (id) do nothing
      returning ${columns}`,
  )
  if (made) await noteAudit(transaction, { ...audit, after: tenantSnapshot(made) })
  return made
}

/** Locked first, so that the audit's `before` is what is replaced, also with concurrent writers. */
async function change(transaction: Queryable, id: string, changes: TenantChanges, audit: EntryOf<'tenant.put'>) {
  const locked = sql`select ${columns} from tenants where id = ${id} for no key update`
  const before = await row(transaction, TenantRow, locked)
  if (!before) return undefined
  assertKept(before)
  const { workspace, displayName, returnUrls, branding, maxConnectionsPerUser } = changedBy(before, changes)
  const after = await one(
    transaction,
    TenantRow,
    sql`
      update tenants set workspace = ${workspace}, display_name = ${displayName}, return_urls = ${returnUrls},
        branding = ${JSON.stringify(branding)}, max_connections_per_user = ${maxConnectionsPerUser}, updated_at = now()
      where id = ${id}
      returning ${columns}`,
  )
  await noteAudit(transaction, { ...audit, before: tenantSnapshot(before), after: tenantSnapshot(after) })
  return after
}

async function changeStatus(transaction: Queryable, id: string, to: 'active' | 'suspended', audit: StatusEntry) {
  const locked = sql`select ${columns} from tenants where id = ${id} for no key update`
  const before = await row(transaction, TenantRow, locked)
  if (!before || before.status === to) return undefined
  assertKept(before)
  const set = sql`update tenants set status = ${to}, updated_at = now() where id = ${id} returning ${columns}`
  const after = await one(transaction, TenantRow, set)
  await noteAudit(transaction, { ...audit, before: { status: before.status }, after: { status: to } })
  return after
}

const changedBy = (before: TenantDetails, changes: TenantChanges) => ({
  workspace: changes.workspace ?? before.workspace,
  displayName: changes.displayName ?? before.displayName,
  returnUrls: changes.returnUrls ?? before.returnUrls,
  branding: changes.branding ?? before.branding ?? {},
  maxConnectionsPerUser: changes.maxConnectionsPerUser ?? before.maxConnectionsPerUser ?? 0,
})

function throwTakenWorkspace(error: Error & { constraint?: string }): never {
  if (error.constraint !== 'tenants_workspace_key') throw error
  throw new Failure('workspace_taken', 'Another tenant already has this workspace.')
}
