import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import type { Memberships } from '../domain/ports.ts'

const StoredMembership = z.object({ workspace: z.string(), role: z.enum(['admin', 'member']) })

export function postgresMemberships(pool: pg.Pool): Memberships {
  return {
    async ofUser(userId) {
      const { rows } = await pool.query({
        name: 'memberships-of-user',
        text: 'select workspace, role from workspace_access where user_id = $1 order by workspace',
        values: [userId],
      })
      return stored(z.array(StoredMembership), rows)
    },

    async ofServiceAccount(clientId) {
      const { rows } = await pool.query({
        name: 'membership-of-service-account',
        text: 'select workspace, role from service_accounts where client_id = $1',
        values: [clientId],
      })
      return stored(z.array(StoredMembership), rows)
    },
  }
}
