import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import type { Actor, AuditTrail } from '../domain/audit.ts'

/** Where the changed row says what it is, as SQL; `c` is the row. */
type About = { workspace: string; workspaceId?: string; kind: string; name: string; id: string }

const idOfWorkspace = (workspace: string) => `(select w.id from workspaces w where w.name = ${workspace})`

/**
 * The head of a statement that makes a change and its entry in the record, so that neither is there without the other.
 * `change` returns whole rows, which the rest of the statement finds in `changed`; `entry` is a parameter for `noted`;
 * `before` are parts that the change is made of, because nothing but the top of a statement may write.
 */
export const withAudit = (change: string, about: About, entry: string, before = ''): string => `
  with ${before} changed as (${change}),
  noted as (
    insert into audit_events (actor_kind, actor_id, actor_label, credential, request_id, address, action,
      workspace, workspace_id, resource_kind, resource_name, resource_id)
    select a.kind, a.id, a.label, a.credential, a."requestId", a.address, a.action,
      ${about.workspace}, ${about.workspaceId ?? idOfWorkspace(about.workspace)}, ${about.kind}, ${about.name}, ${about.id}
    from changed c cross join jsonb_to_record(${entry}::jsonb) as a (kind text, id text, label text, credential text,
      "requestId" text, address text, action text))`

export const auditEntry = (actor: Actor, action: string): string => JSON.stringify({ ...actor, action })

/** For changes that are more than one statement: in the same transaction. */
export async function recordAudit(
  runner: pg.Pool | pg.PoolClient,
  actor: Actor,
  action: string,
  name: string,
): Promise<void> {
  const about = { workspace: 'null::text', kind: `'platform'`, name: 'c.name', id: `''` }
  await runner.query(`${withAudit('select $1::text as name', about, '$2')} select from changed`, [
    name,
    auditEntry(actor, action),
  ])
}

const Row = z.object({
  seq: z.number(),
  at: z.date(),
  kind: z.enum(['user', 'service_account', 'operator', 'platform']),
  id: z.string(),
  label: z.string(),
  credential: z.string(),
  requestId: z
    .string()
    .nullish()
    .transform((text) => text ?? undefined),
  address: z
    .string()
    .nullish()
    .transform((text) => text ?? undefined),
  action: z.string(),
  workspace: z.string().nullable(),
  resourceKind: z.string(),
  resourceName: z.string(),
  resourceId: z.string(),
})

export function postgresAuditTrail(pool: pg.Pool): AuditTrail {
  return {
    // By the id of the workspace: a later one of the same name has a past of its own.
    async ofWorkspace(workspace, before, limit) {
      const { rows } = await pool.query(
        `select e.id as seq, e.at, e.actor_kind as kind, e.actor_id as id, e.actor_label as label, e.credential,
           e.request_id as "requestId", e.address, e.action, e.workspace, e.resource_kind as "resourceKind",
           e.resource_name as "resourceName", e.resource_id as "resourceId"
         from audit_events e where e.workspace_id = ${idOfWorkspace('$1')} and e.id < $2
         order by e.id desc limit $3`,
        [workspace, before ?? Number.MAX_SAFE_INTEGER, limit],
      )
      return stored(z.array(Row), rows)
    },
  }
}
