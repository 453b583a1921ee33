import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../../kit/crypto/secret.ts'
import { execute, maybe, row, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { type Actor, actorOf } from '../../../shared/domain/audit.ts'
import { sealContext } from '../../../shared/domain/seal-context.ts'
import { auditEntry, withAudit } from '../../../shared/postgres/audit.ts'
import {
  type Approvals,
  approvalSeconds,
  type Claim,
  type Deciders,
  decisions,
  maxWaiting,
  type ShownCall,
  subjectOf,
} from '../../domain/approvals/approval.ts'
import { withoutLoss } from '../../domain/approvals/plain-arguments.ts'

const keptDays = 30

const Row = z
  .object({
    id: z.string(),
    workspace: z.string(),
    functionId: z.string(),
    functionName: z.string(),
    connectionId: z.string(),
    connection: z.string(),
    app: z.string(),
    tool: z.string(),
    covers: z.string(),
    digest: z.string(),
    subject: z.string(),
    callerKind: z.enum(['user', 'service_account', 'end_user']),
    callerId: z.string(),
    callerLabel: z.string(),
    // Written by us, so the form is known.
    deciders: z.custom<Deciders>((value) => typeof value === 'object' && value !== null),
    decision: maybe(z.enum(decisions)),
    deciderKind: maybe(z.string()),
    deciderId: maybe(z.string()),
    deciderLabel: maybe(z.string()),
    decidedAt: maybe(z.date()),
    receipt: maybe(z.string()),
    usedAt: maybe(z.date()),
    expiresAt: z.date(),
    createdAt: z.date(),
    changedAt: z.date(),
  })
  .transform(({ callerKind, callerId, callerLabel, deciderKind, deciderId, deciderLabel, ...approval }) => ({
    ...approval,
    caller: { kind: callerKind, id: callerId, label: callerLabel },
    decidedBy:
      deciderKind === undefined ? undefined : { kind: deciderKind, id: deciderId ?? '', label: deciderLabel ?? '' },
  }))

const columns = sql`id, workspace, function_id as "functionId", function_name as "functionName",
  connection_id as "connectionId", connection, app, tool, covers, digest, subject, caller_kind as "callerKind",
  caller_id as "callerId", caller_label as "callerLabel", deciders, decision, decider_kind as "deciderKind",
  decider_id as "deciderId", decider_label as "deciderLabel", decided_at as "decidedAt", receipt, used_at as "usedAt",
  expires_at as "expiresAt", created_at as "createdAt", changed_at as "changedAt"`

const about = { workspace: sql`c.workspace`, kind: sql`'approval'`, name: sql`c.tool`, id: sql`c.id` }

const audited = (change: Sql, by: Actor, action: string, before = sql``): Sql =>
  withAudit(change, about, auditEntry(by, action), before)

const Known = z.object({ id: z.string(), decision: maybe(z.enum(decisions)) })
const Count = z.object({ count: z.number() })
const Started = z.object({ startedAt: z.date() })
const Asked = z.object({ asked: maybe(z.string()) })

type Needs = { pool: pg.Pool; vault: SealedBox; newId(): string }

export function postgresApprovals({ pool, vault, newId }: Needs) {
  const lastStarted = async (connection: string, subject: string, tool: string, digest: string) => {
    const found = await row(
      pool,
      Started,
      sql`select started_at as "startedAt" from approved_calls
        where connection_id = ${connection} and subject = ${subject} and tool = ${tool} and digest = ${digest}
          and answered_at is null and started_at > now() - interval '1 day'
        order by started_at desc limit 1`,
    )
    return found?.startedAt
  }
  const askAgain = (claim: Claim) =>
    row(
      pool,
      Known,
      sql`select id, decision from approvals
        where ${isForCall(claim)} and expires_at > now() and used_at is null
          and (decision is null or decision in ('once', 'decline'))
        order by created_at desc limit 1`,
    )
  const insert = (claim: Claim) => {
    const { workspace, functionId, functionName, caller, deciders, need } = claim
    const { connection, app, tool, covers, digest, shown } = need
    const id = newId()
    const asked = vault.seal(new Secret(JSON.stringify(shown, withoutLoss)), sealContext.approval(id))
    const change = sql`
      insert into approvals as known (id, workspace, function_id, function_name, connection_id, connection, app, tool,
        covers, digest, subject, caller_kind, caller_id, caller_label, deciders, asked, expires_at)
      values (${id}, ${workspace}, ${functionId}, ${functionName}, ${connection.id}, ${connection.name}, ${app}, ${tool},
        ${covers}, ${digest}, ${subjectOf(caller)}, ${caller.kind}, ${caller.id}, ${caller.label},
        ${JSON.stringify(deciders)}::jsonb, ${asked}, now() + ${approvalSeconds.waiting}::integer * interval '1 second')
      on conflict (connection_id, subject, tool, digest) where decided_at is null do update
        set deciders = excluded.deciders, expires_at = excluded.expires_at, changed_at = now()
      returning *`
    return row(pool, Row, sql`${audited(change, actorOf(caller), 'approval.requested')} select ${columns} from changed`)
  }
  const approvals: Approvals = {
    async use(claim) {
      const { caller, deciders, need } = claim
      const callId = newId()
      const before = sql`
        hour as (
          select * from approvals
          where connection_id = ${need.connection.id} and subject = ${subjectOf(caller)} and covers = ${need.covers}
            and deciders = ${JSON.stringify(deciders)}::jsonb and decision = 'hour' and expires_at > now()
          order by expires_at desc limit 1 for share),
        once as (
          update approvals set used_at = now(), changed_at = now()
          where used_at is null and expires_at > now() and id = (
            select id from approvals
            where ${isForCall(claim)} and decision = 'once' and used_at is null and expires_at > now()
              and not exists (select from hour)
            order by expires_at limit 1)
          returning *),`
      const change = sql`select * from hour union all select * from once`
      const found = await row(
        pool,
        Row,
        sql`${audited(change, actorOf(caller), 'approval.used', before)},
          called as (
            insert into approved_calls (id, approval_id, connection_id, subject, tool, digest)
            select ${callId}, id, connection_id, subject, ${need.tool}, ${need.digest} from changed)
          select ${columns} from changed`,
      )
      return found && { callId, approval: found }
    },

    async giveBack({ callId, approval: { id } }, by) {
      const before = sql`
        called as (delete from approved_calls where id = ${callId} and answered_at is null returning approval_id),`
      const change = sql`
        update approvals set used_at = null, changed_at = now()
        where id = ${id} and decision = 'once' and id in (select approval_id from called) returning *`
      await execute(pool, sql`${audited(change, by, 'approval.returned', before)} select from changed`)
    },

    async finish({ callId }) {
      await execute(pool, sql`update approved_calls set answered_at = now() where id = ${callId}`)
    },

    async ask(claim) {
      const { caller, need } = claim
      const { connection, tool, digest } = need
      const known = await askAgain(claim)
      const startedAt = await lastStarted(connection.id, subjectOf(caller), tool, digest)
      if (known) return { id: known.id, state: known.decision === 'decline' ? 'declined' : 'waiting', startedAt }
      const open = await row(
        pool,
        Count,
        sql`select count(*)::integer as count from approvals where connection_id = ${connection.id}
          and subject = ${subjectOf(caller)} and decided_at is null and expires_at > now()`,
      )
      if ((open?.count ?? 0) >= maxWaiting) return undefined
      const added = await insert(claim)
      return added && { id: added.id, state: 'waiting', startedAt }
    },

    find: (id) => row(pool, Row, sql`select ${columns} from approvals where id = ${id}`),

    async findShown({ id, connectionId, subject, tool, digest }) {
      const found = await row(pool, Asked, sql`select asked from approvals where id = ${id} and decided_at is null`)
      if (found?.asked === undefined) return undefined
      const call = JSON.parse(vault.open(found.asked, sealContext.approval(id)).reveal()) as ShownCall
      return { call, startedAt: await lastStarted(connectionId, subject, tool, digest) }
    },

    decide({ id, deciders }, decision, { receipt, expiresAt }, by) {
      const change = sql`
        update approvals set decision = ${decision}, decider_kind = ${by.kind}, decider_id = ${by.id},
          decider_label = ${by.label}, decided_at = now(), receipt = ${receipt ?? null}, expires_at = ${expiresAt},
          asked = null, changed_at = now()
        where id = ${id} and decided_at is null and expires_at > now()
          and deciders = ${JSON.stringify(deciders)}::jsonb returning *`
      return row(pool, Row, sql`${audited(change, by, decided[decision])} select ${columns} from changed`)
    },

    stop(id, by) {
      const change = sql`
        update approvals set expires_at = now(), changed_at = now()
        where id = ${id} and decision in ('once', 'hour') and used_at is null and expires_at > now() returning *`
      return row(pool, Row, sql`${audited(change, by, 'approval.stopped')} select ${columns} from changed`)
    },

    list: ({ workspaces, since, connection, after, limit }) =>
      rows(
        pool,
        Row,
        sql`select ${columns} from approvals
          where workspace = any(${[...workspaces]}::text[]) and changed_at >= ${since ?? new Date(0)}
            ${connection === undefined ? sql`` : sql`and connection = ${connection}`}
            ${after ? sql`and (changed_at, id) > (${after.at}::timestamptz, ${after.id}::text)` : sql``}
          order by changed_at, id limit ${limit}`,
      ),
  }
  return {
    ...approvals,
    async sweep() {
      await execute(
        pool,
        sql`update approvals set asked = null, decided_at = now(), changed_at = now()
          where decided_at is null and expires_at < now()`,
      )
      return execute(
        pool,
        sql`delete from approvals where created_at < now() - ${keptDays}::integer * interval '1 day'`,
      )
    },
  }
}

const decided = {
  once: 'approval.allowed',
  hour: 'approval.allowed_for_an_hour',
  decline: 'approval.declined',
} as const

const isForCall = ({ caller, deciders, need: { connection, tool, digest } }: Claim): Sql =>
  sql`connection_id = ${connection.id} and subject = ${subjectOf(caller)} and tool = ${tool} and digest = ${digest}
    and deciders = ${JSON.stringify(deciders)}::jsonb`
