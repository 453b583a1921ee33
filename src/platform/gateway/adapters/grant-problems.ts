import type pg from 'pg'
import { z } from 'zod'
import { GrantProblemCode } from '../../../contract/control-plane/grant-problems.ts'
import { execute, maybe, rows, sql } from '../../../kit/database/sql.ts'
import type { GrantProblem, GrantProblems } from '../domain/grant-problem.ts'

const keptDays = 30

const Row = z.object({
  at: z.date(),
  workspace: z.string(),
  connection: z.string(),
  connectionId: z.string(),
  functionName: z.string(),
  code: GrantProblemCode,
  scope: maybe(z.string()),
})

export function postgresGrantProblems(pool: pg.Pool) {
  const problems: GrantProblems = {
    async note({ connectionId, version, code, functionName, scope }) {
      await execute(
        pool,
        sql`insert into grant_problems as known (connection_id, version, code, function_name, scope)
          select id, ${version}, ${code}, ${functionName}, ${scope ?? null} from resources where id = ${connectionId}
          on conflict (connection_id, version, code) do update
            set scope = excluded.scope, function_name = excluded.function_name, noted_at = now()
            where known.scope is distinct from excluded.scope
              or (known.code = 'client_rejected' and known.noted_at < now() - interval '1 minute')`,
      )
    },

    list: ({ workspaces, since, connection, after, limit }): Promise<GrantProblem[]> =>
      rows(
        pool,
        Row,
        sql`select p.noted_at as at, c.workspace, c.name as connection, p.connection_id as "connectionId",
            p.function_name as "functionName", p.code, p.scope
          from grant_problems p join resources c on c.id = p.connection_id and c.version = p.version
          where c.workspace = any(${[...workspaces]}::text[])
            and p.noted_at >= ${since ?? new Date(0)}
            ${connection === undefined ? sql`` : sql`and c.name = ${connection}`}
            ${after ? sql`and (p.noted_at, p.connection_id, p.code) > (${after.at}::timestamptz, ${after.connectionId}::text, ${after.code}::text)` : sql``}
          order by p.noted_at, p.connection_id, p.code limit ${limit}`,
      ),
  }
  return {
    ...problems,
    sweep: () =>
      execute(pool, sql`delete from grant_problems where noted_at < now() - ${keptDays}::integer * interval '1 day'`),
  }
}
