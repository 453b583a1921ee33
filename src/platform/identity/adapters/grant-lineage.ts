// API keys, service accounts and function users that were created with a token of a grant end when the grant is revoked.
import type pg from 'pg'
import { execute, type Queryable, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { auditEntry, recordAudit, withAudit } from '../../shared/postgres/audit.ts'
import { endFunctionGrants } from './function-grants.ts'

/** Subjects of audit entries. `c` is the changed row. */
export const aboutKey = {
  workspace: sql`(select s.workspace from service_accounts s where s.client_id = c.service_account_id)`,
  kind: sql`'apikey'`,
  name: sql`c.name`,
  id: sql`c.id`,
}

export const aboutServiceAccount = {
  workspace: sql`c.workspace`,
  kind: sql`'serviceaccount'`,
  name: sql`c.name`,
  id: sql`c.client_id`,
}

/** The locks serialize an insert with a revocation: a later one finds the row, an earlier one rejects it. */
export const lockGrant = (grant: string | undefined): Sql => sql`
  live_grant as (
    select 1 from oidc_records where model = 'Grant' and id_hash = ${Buffer.from(grant ?? '', 'base64url')}
    for key share),
  live_key as (select 1 from api_keys where grant_name = ${grant ?? null} for key share),
  live_account as (select 1 from service_accounts where grant_name = ${grant ?? null} for key share),`

/** An expired grant has no record, but keys and accounts created with it stay valid. */
export const grantIsLive = (grant: string | undefined): Sql => sql`(
  ${grant === undefined} or exists (select from live_grant) or exists (select from live_key)
  or exists (select from live_account))`

export const grantRevoked = () => new Failure('credential_invalid', 'The grant of this token was revoked.')

/** Must run in the transaction that removes the grant. */
export async function endAllOfGrant(db: Queryable, grant: string): Promise<void> {
  const end = (change: Sql, subject: typeof aboutKey, action: string) =>
    execute(db, sql`${withAudit(change, subject, auditEntry(grantEnd, action))} select from changed`)
  await end(sql`delete from api_keys where grant_name = ${grant} returning *`, aboutKey, 'apikey.revoked')
  await end(
    sql`delete from service_accounts where grant_name = ${grant} returning *`,
    aboutServiceAccount,
    'serviceaccount.deleted',
  )
  await endFunctionGrants(db, sql`account_id in (select id from function_users where grant_name = ${grant})`, grantEnd)
  await execute(db, sql`delete from function_users where grant_name = ${grant}`)
}

/** A replaced refresh token was used after its grace period, by a thief or by the client after a theft (RFC 9700 §4.14.2). */
export const endReusedGrant = (pool: pg.Pool, grant: string, clientId: string): Promise<void> =>
  inTransaction(pool, async (client) => {
    const hash = Buffer.from(grant, 'base64url')
    await endFunctionGrants(client, sql`g.grant_hash = ${hash}`, reuse)
    const others = await execute(client, sql`delete from oidc_records where model = 'Grant' and id_hash = ${hash}`)
    if (others > 0) await recordAudit(client, reuse, 'grant.revoked', clientId)
    await execute(client, sql`delete from oidc_records where grant_hash = ${hash}`)
    await endAllOfGrant(client, grant)
  })

const reuse: Actor = { kind: 'platform', id: '', label: 'refresh token', credential: 'reuse' }

const grantEnd: Actor = { kind: 'platform', id: '', label: 'grant', credential: 'revocation' }
