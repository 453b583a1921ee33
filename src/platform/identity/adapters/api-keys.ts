import type pg from 'pg'
import { z } from 'zod'
import { execute, prepared, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { commonScopes } from '../domain/delegation.ts'
import type { ApiKeys, KeyOwner } from '../domain/ports.ts'
import { aboutKey, grantIsLive, grantRevoked, lockGrant } from './grant-lineage.ts'

export function postgresApiKeys(pool: pg.Pool): ApiKeys {
  return {
    async add({ id, hash, last4, name, scopes, expiresAt, grant }, owner, by) {
      const { userId, serviceAccountId } = ids(owner)
      const insert = sql`
        insert into api_keys (id, hash, last4, name, user_id, service_account_id, scopes, expires_at, grant_name,
          created_by)
        select ${id}, ${hash}, ${last4}, ${name}, ${userId}, ${serviceAccountId},
          ${scopes ?? null}::text[], ${expiresAt ?? null}::timestamptz, ${grant ?? null}, ${by.label}
        where ${grantIsLive(grant)}
        returning *`
      const audit = withAudit(insert, aboutKey, auditEntry(by, 'apikey.created'), lockGrant(grant))
      const added = await row(pool, KeyRow, sql`${audit} select ${columns} from changed`).catch(throwOwnerMissing)
      if (!added) throw grantRevoked()
      return added
    },

    list: (owner) =>
      rows(pool, KeyRow, sql`select ${columns} from api_keys where ${isOwnedBy(owner)} order by created_at`),

    ofServiceAccounts: (workspace) =>
      rows(
        pool,
        ServiceAccountKeyRow,
        sql`
          select ${columns}, service_account_id as "serviceAccountId" from api_keys
          where service_account_id in (
            select client_id from service_accounts where workspace = ${workspace} and not account_wide)
          order by created_at`,
      ),

    revoke: (owner, id, by) => {
      const remove = sql`delete from api_keys where ${isOwnedBy(owner)} and id = ${id} returning *`
      const audit = withAudit(remove, aboutKey, auditEntry(by, 'apikey.revoked'))
      return row(pool, KeyRow, sql`${audit} select ${columns} from changed`)
    },

    async noteExposure(hash, by) {
      const exposed = sql`select * from api_keys where hash = ${hash}`
      await execute(pool, sql`${withAudit(exposed, aboutKey, auditEntry(by, 'apikey.exposed'))} select from changed`)
    },

    async noteUse(hash) {
      await execute(pool, sql`update api_keys set last_used_at = now() where hash = ${hash}`)
    },

    async callerOf(hash) {
      const owner = await row(
        pool,
        Owner,
        prepared(sql`
          select k.id as "keyId", k.scopes as "keyScopes", k.expires_at as "endsAt",
            coalesce(k.grant_name, s.grant_name) as "grant", u.id as "userId", u.email,
            s.client_id as "clientId", s.name as "accountName", s.workspace,
            s.scopes as "accountScopes"
          from api_keys k
          left join users u on u.id = k.user_id
          left join service_accounts s on s.client_id = k.service_account_id
          where k.hash = ${hash} and (k.expires_at is null or k.expires_at > now())`),
      )
      return owner && toCaller(owner)
    },
  }
}

const isOwnedBy = (owner: KeyOwner): Sql => {
  const { userId, serviceAccountId } = ids(owner)
  return sql`(user_id = ${userId} or service_account_id = ${serviceAccountId})`
}

const ids = (owner: KeyOwner): { userId: string | null; serviceAccountId: string | null } =>
  'userId' in owner
    ? { userId: owner.userId, serviceAccountId: null }
    : { userId: null, serviceAccountId: owner.serviceAccountId }

/** The owner was deleted after the lookup, or an operator misspelled it. */
function throwOwnerMissing(error: { code?: string }): never {
  if (error.code === '23503') throw new Failure('resource_unknown', 'The owner of the key does not exist.')
  throw error
}

const KeyRow = z.object({
  id: z.string(),
  name: z.string(),
  last4: z.string(),
  scopes: z.array(z.string()).nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  lastUsedAt: z.date().nullable(),
  expiresAt: z.date().nullable(),
})

const ServiceAccountKeyRow = KeyRow.extend({ serviceAccountId: z.string() })

const columns = sql.columns(KeyRow)

const Owner = z.object({
  keyId: z.string(),
  keyScopes: z.array(z.string()).nullable(),
  endsAt: z.date().nullable(),
  grant: z.string().nullable(),
  userId: z.string().nullable(),
  email: z.string().nullable(),
  clientId: z.string().nullable(),
  accountName: z.string().nullable(),
  workspace: z.string().nullable(),
  accountScopes: z.array(z.string()).nullable(),
})

function toCaller(owner: z.infer<typeof Owner>): Caller {
  const { keyId, keyScopes, endsAt, grant, userId, email, clientId, accountName, workspace, accountScopes } = owner
  const scopes = commonScopes(keyScopes, accountScopes)
  const common = { credential: `key:${keyId}`, scopes, endsAt: endsAt ?? undefined, grant: grant ?? undefined }
  if (userId) return { ...common, kind: 'user', id: userId, label: email ?? userId, workspace: undefined }
  const id = clientId ?? ''
  return { ...common, kind: 'service_account', id, label: accountName ?? id, workspace: workspace ?? undefined }
}
