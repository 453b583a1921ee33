import { execute, type Queryable, sql } from '../../../kit/database/sql.ts'
import { announced, noted } from '../../adapters/postgres/statement-parts.ts'
import type { KnownToolLists } from '../../domain/ports/tool-lists.ts'

/** One statement, so that only one of several concurrent checks notifies. */
export const postgresKnownToolLists = (db: Queryable): KnownToolLists => ({
  async remember({ connection, hash, tell, audit, event }) {
    const isReported = tell === 'never' ? sql`false` : tell === 'first_too' ? sql`true` : sql`(was is not null)`
    await execute(
      db,
      sql`
        with known as (
          select id, tenant, tool_list_hash as was from connections
          where id = ${connection.id} and tool_list_hash is distinct from ${hash} for update
        ), remembered as (
          update connections set tool_list_hash = ${hash} from known where connections.id = known.id
          returning connections.tenant, known.was
        ), reported as (select * from remembered where ${isReported}),
        ${noted(audit, 'reported')},
        ${announced(event, 'reported')}
        select 1`,
    )
  },
})
