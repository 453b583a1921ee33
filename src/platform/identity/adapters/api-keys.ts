import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import type { ApiKeys, KeyOwner } from '../domain/ports.ts'

export function postgresApiKeys(pool: pg.Pool): ApiKeys {
  return {
    async add({ id, hash, last4, name, expiresAt }, owner, by) {
      const text = `${withAudit(insert, about, '$8')} select ${columns} from changed`
      const values = [id, hash, last4, name, ...ids(owner), expiresAt ?? null, auditEntry(by, 'apikey.created')]
      const { rows } = await pool.query(text, values).catch(throwOwnerMissing)
      return stored(KeyRow, rows[0])
    },

    async list(owner) {
      const { rows } = await pool.query(
        `select ${columns} from api_keys where ${ownedBy} order by created_at`,
        ids(owner),
      )
      return stored(z.array(KeyRow), rows)
    },

    async revoke(owner, id, by) {
      const remove = `delete from api_keys where ${ownedBy} and id = $3 returning *`
      const text = `${withAudit(remove, about, '$4')} select ${columns} from changed`
      const { rows } = await pool.query(text, [...ids(owner), id, auditEntry(by, 'apikey.revoked')])
      return rows[0] && stored(KeyRow, rows[0])
    },

    async callerOf(hash) {
      const { rows } = await pool.query({
        name: 'caller-of-api-key',
        text: `
          select k.id as "keyId", u.id as "userId", u.email, s.client_id as "clientId", s.name as "accountName", s.workspace
          from api_keys k
          left join users u on u.id = k.user_id
          left join service_accounts s on s.client_id = k.service_account_id
          where k.hash = $1 and (k.expires_at is null or k.expires_at > now())`,
        values: [hash],
      })
      return rows[0] && toCaller(stored(Owner, rows[0]))
    },
  }
}

const columns = 'id, name, last4, created_at as "createdAt", expires_at as "expiresAt"'
const ownedBy = '(user_id = $1 or service_account_id = $2)'

const insert = `insert into api_keys (id, hash, last4, name, user_id, service_account_id, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7) returning *`

const about = {
  workspace: '(select s.workspace from service_accounts s where s.client_id = c.service_account_id)',
  kind: `'apikey'`,
  name: 'c.name',
  id: 'c.id',
}

const ids = (owner: KeyOwner): [string | null, string | null] =>
  'userId' in owner ? [owner.userId, null] : [null, owner.serviceAccountId]

/** Deleted after it was looked up, or misspelled by an operator. */
function throwOwnerMissing(error: { code?: string }): never {
  if (error.code === '23503') throw new Failure('resource_unknown', 'The owner of the key is not there.')
  throw error
}

const KeyRow = z.object({
  id: z.string(),
  name: z.string(),
  last4: z.string(),
  createdAt: z.date(),
  expiresAt: z.date().nullable(),
})

const Owner = z.object({
  keyId: z.string(),
  userId: z.string().nullable(),
  email: z.string().nullable(),
  clientId: z.string().nullable(),
  accountName: z.string().nullable(),
  workspace: z.string().nullable(),
})

function toCaller({ keyId, userId, email, clientId, accountName, workspace }: z.infer<typeof Owner>): Caller {
  const common = { credential: `key:${keyId}`, scopes: undefined }
  if (userId) return { ...common, kind: 'user', id: userId, label: email ?? userId, workspace: undefined }
  const id = clientId ?? ''
  return { ...common, kind: 'service_account', id, label: accountName ?? id, workspace: workspace ?? undefined }
}
