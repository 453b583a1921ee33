import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, type Queryable, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import type { Actor, AuditTrail } from '../domain/audit.ts'

export type About = { workspace: Sql; workspaceId?: Sql; kind: Sql; name: Sql; id: Sql }

const idOfWorkspace = (workspace: Sql | string) => sql`(select w.id from workspaces w where w.name = ${workspace})`

/** `change` must return whole rows. `before` holds other writes, because only the top level may write. */
export const withAudit = (change: Sql, about: About, entry: string, before = sql``): Sql => sql`
  with ${before} changed as (${change}),
  noted as (
    insert into audit_events (actor_kind, actor_id, actor_label, credential, request_id, address, action,
      workspace, workspace_id, resource_kind, resource_name, resource_id)
    select a.kind, a.id, a.label, a.credential, a."requestId", a.address, a.action,
      ${about.workspace}, ${about.workspaceId ?? idOfWorkspace(about.workspace)}, ${about.kind}, ${about.name}, ${about.id}
    from changed c cross join jsonb_to_record(${entry}::jsonb) as a (kind text, id text, label text, credential text,
      "requestId" text, address text, action text))`

export const auditEntry = (actor: Actor, action: string): string => JSON.stringify({ ...actor, action })

/** For changes of several statements. Must run in the same transaction. */
export async function recordAudit(connection: Queryable, actor: Actor, action: string, name: string): Promise<void> {
  const about = { workspace: sql`null::text`, kind: sql`'platform'`, name: sql`c.name`, id: sql`''` }
  const change = sql`select ${name}::text as name`
  await execute(connection, sql`${withAudit(change, about, auditEntry(actor, action))} select from changed`)
}

const Row = z.object({
  seq: z.number(),
  at: z.date(),
  kind: z.enum(['user', 'service_account', 'end_user', 'operator', 'platform']),
  id: z.string(),
  label: z.string(),
  credential: z.string(),
  requestId: maybe(z.string()),
  address: maybe(z.string()),
  action: z.string(),
  workspace: z.string().nullable(),
  resourceKind: z.string(),
  resourceName: z.string(),
  resourceId: z.string(),
})

export function postgresAuditTrail(pool: pg.Pool): AuditTrail {
  return {
    // By workspace ID, so that a later workspace with the same name has its own history.
    ofWorkspace: (workspace, before, limit) =>
      rows(
        pool,
        Row,
        sql`select e.id as seq, e.at, e.actor_kind as kind, e.actor_id as id, e.actor_label as label, e.credential,
           e.request_id as "requestId", e.address, e.action, e.workspace, e.resource_kind as "resourceKind",
           e.resource_name as "resourceName", e.resource_id as "resourceId"
         from audit_events e
         where e.workspace_id = ${idOfWorkspace(workspace)} and e.id < ${before ?? Number.MAX_SAFE_INTEGER}
         order by e.id desc limit ${limit}`,
      ),
  }
}
