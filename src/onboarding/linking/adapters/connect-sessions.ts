import type pg from 'pg'
import { z } from 'zod'
import type { Prepared } from '../../../kit/database/prepared.ts'
import { execute, maybe, one, row, type Sql, sql } from '../../../kit/database/sql.ts'
import { changeAudited } from '../../adapters/postgres/audit.ts'
import {
  CauseColumn,
  ConfigColumn,
  EndUserColumn,
  hasPinnedAccount,
  LabelsColumn,
} from '../../adapters/postgres/schema.ts'
import { inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import { startsAgainFrom } from '../../domain/connect-session.ts'
import { ifConnectedModes } from '../../domain/end-users/if-connected.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import { testOutcomes } from '../../domain/test-mode/test-mode.ts'

export function postgresConnectSessions(pool: pg.Pool, run: Prepared): Omit<ConnectSessions, 'recall'> {
  return {
    async create({ ttlSeconds, ...session }, tokenDigest, audit) {
      const made = await one(
        pool,
        MadeSession,
        // The database clock decides expiry for all processes.
        sql`
          with made as (
            insert into connect_sessions (id, token_digest, tenant, integration, choices, end_user, return_url,
              connection_id, allow_other_account, if_connected, completion_challenge, inputs, test_outcome,
              alias, labels, scopes, expires_at)
            values (${session.id}, ${tokenDigest}, ${session.tenant}, ${session.integration ?? null},
              ${session.choices ?? null}, ${JSON.stringify(session.endUser)}, ${session.returnUrl ?? null},
              ${session.connectionId ?? null},
              ${session.allowOtherAccount}, ${session.ifConnected}, ${session.completionChallenge ?? null},
              ${JSON.stringify(session.inputs)}, ${session.testOutcome ?? null},
              ${session.alias ?? null}, ${session.labels ? JSON.stringify(session.labels) : null}::jsonb,
              ${session.scopes ?? null}, ${inSeconds(ttlSeconds)})
            returning *
          ), ${noted(audit, 'made')}
          select ${columns}, ${isPinned} as "isPinned" from made as connect_sessions`,
      )
      return { ...made, integration: session.integration, linkId: undefined, expired: false }
    },
    byToken: (tokenDigest) => row(run, SessionRow, sessions(sql`token_digest = ${tokenDigest}`)),
    find: (id) => row(pool, SessionRow, sessions(sql`connect_sessions.id = ${id}`)),
    async archiveFailedLink({ id, linkId }, archiveId) {
      await execute(
        pool,
        sql`
          with copied as (
            insert into connect_sessions (id, token_digest, tenant, integration, choices, end_user, return_url,
              connection_id, allow_other_account, if_connected, inputs, test_outcome, alias, labels, scopes, expires_at,
              cancelled_at, created_at)
            select ${archiveId}, ${`aside:${archiveId}`}, tenant, integration, choices, end_user, return_url,
              connection_id, allow_other_account, if_connected, inputs, test_outcome, alias, labels, scopes, expires_at,
              now(), created_at
            from connect_sessions where id = ${id}
            returning id
          )
          update links set session_id = copied.id from copied
          where links.id = ${linkId ?? null} and session_id = ${id}`,
      )
    },
    cancel: (id, audit) =>
      changeAudited(pool, audit, async (transaction) => {
        // Waits for a concurrent start, so that the update sees its link.
        await execute(transaction, sql`select from connect_sessions where id = ${id} for update`)
        return execute(
          transaction,
          sql`
            update connect_sessions set cancelled_at = now()
            where id = ${id} and cancelled_at is null and ${mayBeStarted}`,
        )
      }),
    async noteCause(id, cause) {
      await execute(pool, sql`update connect_sessions set cause = ${cause} where id = ${id}`)
    },
  }
}

/** SQL version of `isPinned` (domain/relink.ts). */
const isPinned = sql`(not connect_sessions.allow_other_account and exists (
  select from connections where connections.id = connect_sessions.connection_id and ${hasPinnedAccount}))`

/** SQL version of `mayStartAgain`. */
const mayBeStarted = sql`not exists (
  select from links where links.session_id = connect_sessions.id and (
    not ${isPinned} or links.state <> all(${startsAgainFrom}::text[])))`

export const isOpenSession = sql`cancelled_at is null and expires_at > now() and ${mayBeStarted}`

const SessionColumns = z.object({
  id: z.string(),
  tenant: z.string(),
  choices: maybe(z.array(z.string())),
  endUser: EndUserColumn,
  returnUrl: maybe(z.string()),
  connectionId: maybe(z.string()),
  allowOtherAccount: z.boolean(),
  ifConnected: z.enum(ifConnectedModes),
  completionChallenge: maybe(z.string()),
  inputs: ConfigColumn,
  testOutcome: maybe(z.enum(testOutcomes)),
  alias: maybe(z.string()),
  labels: maybe(LabelsColumn),
  scopes: maybe(z.array(z.string())),
  expiresAt: z.date(),
  cancelledAt: maybe(z.date()),
  cause: CauseColumn,
  createdAt: z.date(),
})

const columns = sql.columns(SessionColumns, 'connect_sessions')

const MadeSession = SessionColumns.extend({ isPinned: z.boolean() })

const SessionRow = MadeSession.extend({
  integration: maybe(z.string()),
  linkId: maybe(z.string()),
  expired: z.boolean(),
})

const sessions = (condition: Sql): Sql => sql`
  select ${columns}, coalesce(connect_sessions.integration, links.integration) as integration, links.id as "linkId",
    connect_sessions.expires_at <= now() as expired, ${isPinned} as "isPinned"
  from connect_sessions left join links on links.session_id = connect_sessions.id
  where ${condition}`
