import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { execute, one, type Queryable, row, rows, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import { inMode, inSeconds } from '../../adapters/postgres/statement-parts.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { NewTenant, StatusEntry, Tenants } from '../../domain/ports/tenants.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { assertKept, type TenantChanges, type TenantDetails, tenantSnapshot } from '../../domain/tenant.ts'
import { postgresLogos } from './logos.ts'
import { type Fingerprints, postgresOwnClients } from './own-clients.ts'
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
        if (!changed) throw new Error('an existing tenant must not disappear')
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

/** Returns undefined if the ID is taken. */
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

/** Locks the row, so that `before` in the audit log is correct with concurrent writers. */
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

type SigningSecrets = Pick<Tenants, 'signingSecret' | 'rotateSigningSecret' | 'forgetSigningSecrets'>

/** The database clock decides which secret signs, so all processes agree. */
function postgresSigningSecrets(pool: pg.Pool, box: SealedBox): SigningSecrets {
  return {
    async signingSecret(id) {
      const found = await row(pool, SigningRow, sql`select ${signing} as sealed from tenants where id = ${id}`)
      if (!found?.sealed) throw missing('tenant')
      return box.open(found.sealed, sealContext.signingSecret(id))
    },
    rotateSigningSecret(id, next, afterSeconds, audit) {
      const sealed = box.seal(next, sealContext.signingSecret(id))
      const secrets =
        afterSeconds === 0
          ? sql`signing_secret = ${sealed}, next_signing_secret = null, next_active_from = null`
          : sql`signing_secret = ${signing}, next_signing_secret = ${sealed},
              next_active_from = ${inSeconds(afterSeconds)}`
      return inTransaction(pool, async (transaction) => {
        const rotated = await row(
          transaction,
          RotatedRow,
          sql`
            update tenants set ${secrets}, updated_at = now() where id = ${id} and status in ('active', 'suspended')
            returning coalesce(next_active_from, now()) as "activeFrom"`,
        )
        if (rotated) await noteAudit(transaction, audit)
        return rotated?.activeFrom
      })
    },
    async forgetSigningSecrets() {
      await execute(
        pool,
        sql`
          update tenants set signing_secret = ${signing}, next_signing_secret = null, next_active_from = null
          where next_active_from <= now()`,
      )
    },
  }
}

const signing = sql`case when next_active_from <= now() then next_signing_secret else signing_secret end`

const SigningRow = z.object({ sealed: z.string().nullable() })
const RotatedRow = z.object({ activeFrom: z.date() })
