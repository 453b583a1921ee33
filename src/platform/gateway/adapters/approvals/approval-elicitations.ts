import type pg from 'pg'
import { z } from 'zod'
import { row, rows, sql } from '../../../../kit/database/sql.ts'

const Complete = z.object({ id: z.string(), session: z.string() })
const Added = z.object({ id: z.string() })

/** Complete when the approval is decided or has expired. */
export const postgresApprovalElicitations = (pool: pg.Pool) => ({
  async add({ id, session, approval }: { id: string; session: string; approval: string }): Promise<string> {
    const added = await row(
      pool,
      Added,
      sql`insert into approval_elicitations (id, session, approval_id) values (${id}, ${session}, ${approval})
        on conflict (session, approval_id) do update set session = excluded.session returning id`,
    )
    return (added as { id: string }).id
  },

  takeComplete: (sessions: readonly string[]) =>
    rows(
      pool,
      Complete,
      sql`delete from approval_elicitations e using approvals a
        where a.id = e.approval_id and (a.decided_at is not null or a.expires_at < now())
          and e.session = any(${[...sessions]}::text[])
        returning e.id, e.session`,
    ),
})
