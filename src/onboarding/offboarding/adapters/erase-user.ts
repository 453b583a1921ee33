// test/onboarding/offboarding/erasure-leaves-nothing.test.ts searches all tables.

// Removes a user from all rows in one transaction. Referenced rows stay and name the erasure instead of the user.
import { z } from 'zod'
import { execute, one, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import type { EraseEntries } from '../../adapters/postgres/audit-chain/erased-entries.ts'
import { Count, Id } from '../../adapters/postgres/schema.ts'
import { announced } from '../../adapters/postgres/statement-parts.ts'
import { personalMembers } from '../../domain/audit/audit-chain.ts'
import { revocations } from '../../domain/connection-task.ts'
import type { LinkState } from '../../domain/link.ts'
import {
  type ErasedGrant,
  type ErasureReceipt,
  linkRevocations,
  type OpenErasure,
  type RemovedKind,
} from '../../domain/offboarding/erasure.ts'
import type { TenantEvent } from '../../domain/tenant-event.ts'

/** The index ignores case, but IDs are case-sensitive. */
export const ofUser = (column: string, endUserId: string): Sql => {
  const id = sql.identifier(column)
  return sql`lower(${id}) collate "C" = lower(${endUserId}::text) and ${id} = ${endUserId}`
}

export const sessionsOfUser = ({ tenant, endUserId }: Pick<OpenErasure, 'tenant' | 'endUserId'>): Sql => sql`
  select id from connect_sessions
  where lower(end_user ->> 'id') collate "C" = lower(${endUserId}::text) and end_user ->> 'id' = ${endUserId}
    and tenant = ${tenant}`

/** `open`: something was started for the user, and nothing was changed. `lost`: another worker has the erasure. */
export async function eraseUser(
  transaction: Queryable,
  erasure: OpenErasure,
  event: TenantEvent,
  endedStates: LinkState[],
  eraseEntries: EraseEntries,
): Promise<'open' | 'lost' | 'done'> {
  const { id, fence } = erasure
  const held = sql`select id from erasures where id = ${id} and fence = ${fence} and step = 'erasing' for update`
  if (!(await row(transaction, Id, held))) return 'lost'
  const sessions = await ids(transaction, sql`${sessionsOfUser(erasure)} for update`)
  // The session locks above waited for links that were starting.
  if (await hasOpen(transaction, erasure, sessions, endedStates)) return 'open'
  const receipt = await takeOut(transaction, erasure, sessions, eraseEntries)
  await execute(
    transaction,
    sql`
      with finished as (
        update erasures set step = 'done', end_user_id = null, cause = null, due_at = null, claims = 0,
          receipt = ${JSON.stringify(receipt)}::jsonb, step_since = now(), updated_at = now(), finished_at = now()
        where id = ${id} returning tenant
      ), ${announced(event, 'finished')}
      select from finished`,
  )
  return 'done'
}

async function hasOpen(
  transaction: Queryable,
  { tenant, endUserId }: OpenErasure,
  sessions: string[],
  endedStates: LinkState[],
): Promise<boolean> {
  const open = sql`
    select (select count(*) from links where session_id = any(${sessions}::text[])
        and state <> all(${endedStates}::text[]))
      + (select count(*) from connections where ${ofUser('end_user_id', endUserId)} and tenant = ${tenant}
        and status <> 'disconnected') as count`
  return (await one(transaction, Count, open)).count > 0
}

async function takeOut(
  transaction: Queryable,
  erasure: OpenErasure,
  sessions: string[],
  eraseEntries: EraseEntries,
): Promise<ErasureReceipt> {
  const { id, tenant, endUserId } = erasure
  const nobody = JSON.stringify({ id })
  const links = await ids(
    transaction,
    sql`
      update links set end_user = ${nobody}::jsonb, account_id = null, account_label = null, config = '{}',
        alias = null, labels = null, return_url = null, completion_challenge = null, browser = '', waiting_code = null, traceparent = null,
        calls = null
      where session_id = any(${sessions}::text[]) returning id`,
  )
  const connections = await ids(
    transaction,
    sql`
      update connections set end_user_id = ${id}, account_id = null, account_label = null, config = '{}',
        alias = null, labels = null
      where ${ofUser('end_user_id', endUserId)} and tenant = ${tenant} returning id`,
  )
  const grants = await grantsOf(transaction, connections, links)
  await execute(
    transaction,
    sql`
      with escrowed as (delete from escrow where link_id = any(${links}::text[])),
      stored as (delete from stored_grants where connection_id = any(${connections}::text[])),
      checked as (update health_checks set detail = null where connection_id = any(${connections}::text[]))
      update connection_tasks
      set reason = null, actor = case actor ->> 'kind' when 'browser' then actor - 'address' else actor end
      where connection_id = any(${connections}::text[])`,
  )
  const connectSessions = await execute(
    transaction,
    sql`
      update connect_sessions set end_user = ${nobody}::jsonb, return_url = null, completion_challenge = null,
        inputs = '{}', alias = null, labels = null, cancelled_at = coalesce(cancelled_at, now())
      where id = any(${sessions}::text[])`,
  )
  const pages = await ids(
    transaction,
    sql`delete from manage_sessions where tenant = ${tenant} and end_user ->> 'id' = ${endUserId} returning id`,
  )
  const removed: Record<RemovedKind, number> = {
    connectSessions,
    manageSessions: pages.length,
    links: links.length,
    connections: connections.length,
    importRows: await takeOutOfImports(transaction, erasure, nobody),
    events: await takeOutOfEvents(transaction, erasure, nobody),
    auditEntries: await eraseEntries(
      transaction,
      erasure,
      entriesOf(erasure, { links, connections, sessions: [...sessions, ...pages] }),
    ),
  }
  return { grants, removed }
}

/** A row’s key may name the person, and its digests could confirm that a known row existed. */
const takeOutOfImports = (transaction: Queryable, { id, tenant, endUserId }: OpenErasure, nobody: string) =>
  execute(
    transaction,
    sql`
      update import_rows set key = ${id}::text || '.' || position, end_user = ${nobody}::jsonb, account_id = null,
        config = '{}', alias = null, labels = null, digest = '', token_digest = '', fingerprint = '', sealed = null,
        state = case state when 'waiting' then 'cancelled' else state end
      where tenant = ${tenant} and end_user ->> 'id' = ${endUserId}`,
  )

const takeOutOfEvents = (transaction: Queryable, { tenant, endUserId }: OpenErasure, nobody: string) =>
  execute(
    transaction,
    sql`
      update outbox set payload = jsonb_set(payload, '{endUser}', ${nobody}::jsonb) - 'alias' - 'labels', traceparent = null
      where tenant = ${tenant} and payload ? 'endUser' and payload #>> '{endUser,id}' = ${endUserId}`,
  )

type Subjects = { links: string[]; connections: string[]; sessions: string[] }

/** Reasons may name anyone. Each part of the union uses its own index. */
const entriesOf = ({ tenant }: OpenErasure, subjects: Subjects): Sql => sql`
  id in (
    select id from audit where link = any(${subjects.links}::text[])
    union select id from audit where connection = any(${subjects.connections}::text[])
    union select id from audit
      where subject_kind in ('connect_session', 'manage_session') and (actor_kind = 'browser' or reason is not null)
        and subject_id = any(${subjects.sessions}::text[])
  ) and tenant = ${tenant} and erasure is null
    and (reason is not null or (address is not null and actor_kind = 'browser')
      or coalesce(${sql.join(personalMembers.map((member) => sql`before ->> ${member}, after ->> ${member}`))}) is not null)`

async function grantsOf(transaction: Queryable, connections: string[], links: string[]): Promise<ErasedGrant[]> {
  const disconnected = await rows(
    transaction,
    DisconnectedRow,
    sql`
      select distinct on (connections.id) connections.id as "connectionId", connections.integration,
        coalesce(connection_tasks.notes ->> 'revocation', 'not_kept') as revocation
      from connections left join connection_tasks
        on connection_tasks.connection_id = connections.id and kind = 'disconnect' and step = 'done'
      where connections.id = any(${connections}::text[])
      order by connections.id, connection_tasks.id desc`,
  )
  const failed = await rows(
    transaction,
    FailedRow,
    sql`
      select distinct on (links.id) links.id as "linkId", links.integration, audit.facts ->> 'grant' as grant
      from audit join links on links.id = audit.link
      where audit.link = any(${links}::text[]) and action = 'link.failed' and facts ? 'grant'
      order by links.id, audit.id desc`,
  )
  return [...disconnected, ...failed.map(({ grant, ...link }) => ({ ...link, revocation: linkRevocations[grant] }))]
}

const DisconnectedRow = z.object({
  connectionId: z.string(),
  integration: z.string(),
  revocation: z.enum(revocations),
})

const FailedRow = z.object({
  linkId: z.string(),
  integration: z.string(),
  grant: z.enum(Object.keys(linkRevocations) as [keyof typeof linkRevocations, ...Array<keyof typeof linkRevocations>]),
})

const ids = async (transaction: Queryable, statement: Sql): Promise<string[]> =>
  (await rows(transaction, Id, statement)).map(({ id }) => id)
