// A move of a link is one statement: the row, its escrow, the audit entry, the connection and the event to tell
// the tenant change together or not at all, in one round trip and one commit.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { AuditEntry } from '../../domain/audit.ts'
import { isEnded, type Link, type LinkState } from '../../domain/link.ts'
import type { LinkChanges } from '../../domain/ports.ts'
import { auditRow } from './audit.ts'
import type { LedgerSchema, LinkTable } from './schema.ts'

export type TimedChanges = LinkChanges & { dueInSeconds: number }

export async function moveLink(
  db: Database<LedgerSchema>,
  link: Link,
  to: LinkState,
  changes: TimedChanges,
  audit: AuditEntry,
): Promise<Selectable<LinkTable> | undefined> {
  const parts = [noted(audit), ...escrowPart(changes), ...connectionPart(changes), ...outboxPart(changes)]
  const { rows } = await sql<Selectable<LinkTable>>`
    with moved as (
      update links set ${sql.join(assignments(link, to, changes))}
      where id = ${link.id} and state = ${link.state} and fence = ${link.fence}
      returning *
    ), ${sql.join(parts, sql`, `)}
    select * from moved`.execute(db)
  return rows[0]
}

/** The audit entry as one more part of a statement; it is written only when `source` yielded a row. */
export function noted(audit: AuditEntry, source = 'moved'): RawBuilder<unknown> {
  const row = auditRow(audit)
  const columns = Object.keys(row).map((name) => sql.ref(name))
  const values = Object.values(row).map((value) => sql`${value}::text`)
  return sql`noted as (insert into audit (${sql.join(columns)}) select ${sql.join(values)} from ${sql.table(source)})`
}

export const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`

function assignments(link: Link, to: LinkState, changes: TimedChanges): RawBuilder<unknown>[] {
  const columns: Partial<Record<keyof LinkTable, unknown>> = {
    state: to,
    cause: changes.cause ?? null,
    stopped_at: changes.stoppedAt ?? null,
    attempts: 0,
    held_code: changes.heldCode?.sealed ?? null,
    due_at: dueAt(to, changes),
    updated_at: sql`now()`,
    ...given('forced_consent', changes.forcedConsent),
    ...given('missing_scopes', changes.missingScopes),
    ...given('granted_scopes', changes.grantedScopes),
    ...given('account_id', changes.account?.id),
    ...given('account_label', changes.account?.label),
    ...given('function_url', changes.functionUrl),
    ...given('browser', changes.browser),
    // Whoever claimed the link before this move must not write after it.
    ...given('fence', changes.takeOver ? link.fence + 1 : undefined),
  }
  return Object.entries(columns).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
}

const given = (column: keyof LinkTable, value: unknown) => (value === undefined ? {} : { [column]: value })

function dueAt(to: LinkState, changes: TimedChanges) {
  if (isEnded(to) || to === 'needs_attention') return null
  return inSeconds(changes.dueInSeconds)
}

function escrowPart({ escrow }: LinkChanges): RawBuilder<unknown>[] {
  if (escrow === undefined) return []
  if (escrow === null) return [sql`wiped as (delete from escrow using moved where link_id = moved.id)`]
  return [
    sql`kept as (
      insert into escrow (link_id, sealed, fingerprint)
      select id, ${escrow.sealed}, ${escrow.fingerprint ?? null}::text from moved
      on conflict (link_id) do update
      set sealed = excluded.sealed, fingerprint = coalesce(excluded.fingerprint, escrow.fingerprint)
    )`,
  ]
}

function connectionPart({ connected }: LinkChanges): RawBuilder<unknown>[] {
  if (!connected) return []
  return [
    sql`connected as (
      insert into connections (id, tenant, workspace, integration, name, function_name, function_url,
        account_id, account_label, scopes, status, end_user_id)
      select connection_id, tenant, workspace, integration, connection_name, function_name, function_url,
        account_id, account_label, coalesce(granted_scopes, '{}'), 'active', end_user ->> 'id' from moved
      on conflict (id) do update
      set function_url = excluded.function_url, account_id = excluded.account_id,
        account_label = excluded.account_label, scopes = excluded.scopes, status = 'active', updated_at = now()
    )`,
  ]
}

function outboxPart({ event }: LinkChanges): RawBuilder<unknown>[] {
  if (!event) return []
  return [
    sql`announced as (
      insert into outbox (id, tenant, event, payload)
      select ${event.id}, tenant, ${event.name}, ${JSON.stringify(event.payload)}::jsonb from moved
    )`,
  ]
}
