import type pg from 'pg'
import { z } from 'zod'
import type { Role } from '../../shared/domain/caller.ts'

export type Memberships = ReturnType<typeof postgresMemberships>

const Membership = z.object({ workspace: z.string(), role: z.enum(['admin', 'member']) })

/** Who may enter which workspace. */
export function postgresMemberships(pool: pg.Pool) {
  return {
    async ofUser(userId: string): Promise<Array<{ workspace: string; role: Role }>> {
      const { rows } = await pool.query({
        name: 'memberships-of-user',
        text: 'select workspace, role from workspace_members where user_id = $1 order by workspace',
        values: [userId],
      })
      return z.array(Membership).parse(rows)
    },

    async ofServiceAccount(clientId: string): Promise<Array<{ workspace: string; role: Role }>> {
      const { rows } = await pool.query({
        name: 'membership-of-service-account',
        text: 'select workspace, role from service_accounts where client_id = $1',
        values: [clientId],
      })
      return z.array(Membership).parse(rows)
    },
  }
}
