// What is made with a token of a grant, or with something that was, ends when the grant is revoked: API keys, service
// accounts, and people who were vouched for at functions.
import { execute, type Queryable, type Sql, sql } from '../../../kit/database/sql.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { aboutKey, aboutServiceAccount } from './audit-subjects.ts'
import { endFunctionGrants } from './function-grants.ts'

/**
 * Expressions before an insert that depends on a grant. Held while it is written: a revocation at the same time waits,
 * and then finds what was inserted. One that came first is waited for, and what it removed does not stand any more;
 * without the lock it would be seen as it was before.
 */
export const standingGrant = (grant: string | undefined): Sql => sql`
  standing_grant as (
    select 1 from oidc_records where model = 'Grant' and id_hash = ${Buffer.from(grant ?? '', 'base64url')}
    for key share),
  standing_key as (select 1 from api_keys where grant_name = ${grant ?? null} for key share),
  standing_account as (select 1 from service_accounts where grant_name = ${grant ?? null} for key share),`

/** The condition of that insert. A grant that expired has no record, and what came of it may still make more. */
export const grantStands = (grant: string | undefined): Sql => sql`(
  ${grant === undefined} or exists (select from standing_grant) or exists (select from standing_key)
  or exists (select from standing_account))`

export const grantRevoked = () => new Failure('credential_invalid', 'What this token was allowed was revoked.')

/** In the transaction that removes the grant. */
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

/** A person took back what an app was allowed, with all that the app made of it. */
const grantEnd: Actor = { kind: 'platform', id: '', label: 'grant', credential: 'revocation' }
