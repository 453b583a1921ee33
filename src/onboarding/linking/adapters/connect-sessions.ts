import { type Selectable, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import { type Prepared, Statement } from '../../../kit/database/prepared.ts'
import { auditRow, changeAudited } from '../../adapters/postgres/audit.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import { type ConnectSession, startsAgainFrom } from '../../domain/connect-session.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'

export function postgresConnectSessions(db: Database<LedgerSchema>, run: Prepared): ConnectSessions {
  const withLink = () =>
    db
      .selectFrom('connect_sessions')
      .leftJoin('links', 'links.session_id', 'connect_sessions.id')
      .selectAll('connect_sessions')
      .select(['links.id as link_id', expired])

  return {
    async create({ ttlSeconds, ...session }, tokenDigest, audit) {
      const row = await db
        .with('noted', (query) => query.insertInto('audit').values(auditRow(audit)))
        .insertInto('connect_sessions')
        .values({
          id: session.id,
          token_digest: tokenDigest,
          tenant: session.tenant,
          integration: session.integration,
          end_user: JSON.stringify(session.endUser),
          return_url: session.returnUrl ?? null,
          connection_id: session.connectionId ?? null,
          allow_other_account: session.allowOtherAccount,
          completion_challenge: session.completionChallenge ?? null,
          // The database's clock decides about expiry for every process.
          expires_at: sql`now() + make_interval(secs => ${ttlSeconds})`,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return toSession({ ...row, link_id: null, expired: false })
    },
    async byToken(tokenDigest) {
      const [row] = await run<SessionRow>(byToken, [tokenDigest])
      return row && toSession(row)
    },
    async find(id) {
      const row = await withLink().where('connect_sessions.id', '=', id).executeTakeFirst()
      return row && toSession(row)
    },
    async ofConnection(connectionId, limit) {
      const rows = await withLink()
        .where('connect_sessions.connection_id', '=', connectionId)
        .orderBy('connect_sessions.id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toSession)
    },
    async putAside({ id, linkId }, archiveId) {
      // The session keeps its id and token; a copy without a usable token takes over the link.
      await sql`
        with copied as (
          insert into connect_sessions (id, token_digest, tenant, integration, end_user, return_url, connection_id,
            allow_other_account, expires_at, cancelled_at, created_at)
          select ${archiveId}, ${`aside:${archiveId}`}, tenant, integration, end_user, return_url, connection_id,
            allow_other_account, expires_at, now(), created_at from connect_sessions where id = ${id}
          returning id
        )
        update links set session_id = copied.id from copied
        where links.id = ${linkId ?? null} and session_id = ${id}`.execute(db)
    },
    cancel: (id, audit) =>
      changeAudited(db, audit, async (transaction) => {
        // Waits for a concurrent start, so that the update sees its link.
        await sql`select from connect_sessions where id = ${id} for update`.execute(transaction)
        const { numUpdatedRows } = await transaction
          .updateTable('connect_sessions')
          .set({ cancelled_at: sql`now()` })
          .where('id', '=', id)
          .where('cancelled_at', 'is', null)
          .where(mayBeStarted)
          .executeTakeFirst()
        return numUpdatedRows
      }),
  }
}

/** The SQL of mayStartAgain: no link, or one that ended and may be started again. */
export const mayBeStarted = sql<boolean>`not exists (
  select from links where links.session_id = connect_sessions.id and (
    connect_sessions.connection_id is null or connect_sessions.allow_other_account
    or links.state <> all(${startsAgainFrom}::text[])))`

/** Prepared, because every link starts with it. */
const byToken = new Statement(`
  select connect_sessions.*, links.id as link_id, connect_sessions.expires_at <= now() as expired
  from connect_sessions left join links on links.session_id = connect_sessions.id
  where token_digest = $1`)

const expired = sql<boolean>`connect_sessions.expires_at <= now()`.as('expired')

type SessionRow = Selectable<LedgerSchema['connect_sessions']> & { link_id: string | null; expired: boolean }

const toSession = (row: SessionRow): ConnectSession => ({
  id: row.id,
  tenant: row.tenant,
  integration: row.integration,
  endUser: row.end_user,
  returnUrl: row.return_url ?? undefined,
  connectionId: row.connection_id ?? undefined,
  allowOtherAccount: row.allow_other_account,
  completionChallenge: row.completion_challenge ?? undefined,
  expiresAt: row.expires_at,
  expired: row.expired,
  cancelledAt: row.cancelled_at ?? undefined,
  createdAt: row.created_at,
  linkId: row.link_id ?? undefined,
})
