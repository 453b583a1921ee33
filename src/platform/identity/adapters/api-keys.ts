import type pg from 'pg'
import { z } from 'zod'
import type { Caller } from '../../shared/domain/caller.ts'
import type { ApiKeys } from '../domain/ports.ts'

export function postgresApiKeys(pool: pg.Pool): ApiKeys {
  return {
    async add({ id, hash, last4 }, name, owner, expiresAt) {
      const { userId = null, serviceAccountId = null } = owner as { userId?: string; serviceAccountId?: string }
      await pool.query(
        `insert into api_keys (id, hash, last4, name, user_id, service_account_id, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [id, hash, last4, name, userId, serviceAccountId, expiresAt ?? null],
      )
    },

    async callerOf(hash) {
      const { rows } = await pool.query({
        name: 'caller-of-api-key',
        text: `
          select u.id as "userId", u.email, s.client_id as "clientId", s.name as "accountName", s.workspace
          from api_keys k
          left join users u on u.id = k.user_id
          left join service_accounts s on s.client_id = k.service_account_id
          where k.hash = $1 and (k.expires_at is null or k.expires_at > now())`,
        values: [hash],
      })
      return rows[0] && toCaller(Owner.parse(rows[0]))
    },
  }
}

const Owner = z.object({
  userId: z.string().nullable(),
  email: z.string().nullable(),
  clientId: z.string().nullable(),
  accountName: z.string().nullable(),
  workspace: z.string().nullable(),
})

function toCaller({ userId, email, clientId, accountName, workspace }: z.infer<typeof Owner>): Caller {
  if (userId) return { kind: 'user', id: userId, label: email ?? userId, scopes: undefined, workspace: undefined }
  const id = clientId ?? ''
  return { kind: 'service_account', id, label: accountName ?? id, scopes: undefined, workspace: workspace ?? undefined }
}
