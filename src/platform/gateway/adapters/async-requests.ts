import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, prepared, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { stored } from '../../../kit/database/stored.ts'
import { suspectClaims } from '../../shared/domain/callback.ts'
import { readableOrLost, SealedUnreadable } from '../../shared/domain/failure.ts'
import { sealContext } from '../../shared/domain/seal-context.ts'
import { forgetFires } from '../../shared/postgres/trigger-fires.ts'
import {
  type AsyncRequest,
  type AsyncRequests,
  anonymousShare,
  maxConcurrentOf,
  maxStoredOf,
} from '../domain/async-request.ts'

const leaseSeconds = 15

const Row = z.object({
  id: z.string(),
  workspace: z.string(),
  agent: z.string(),
  agentId: z.string(),
  isAnonymous: z.boolean(),
  asked: z.string(),
  answer: z.string().nullable(),
  claims: z.number(),
  refusals: z.number(),
})

const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? undefined)

const SealedRequest = z.object({
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  body: z.string(),
  thread: optionalText,
  callback: z
    .object({ url: z.string(), secret: optionalText, attempts: z.number(), timeoutMs: z.number() })
    .nullish()
    .transform((callback) => callback ?? undefined),
})

const SealedAnswer = z.object({ status: z.number(), text: z.string(), length: z.number() })

const hasRoom = (workspace: string, isAnonymous: boolean): Sql => {
  const max = maxStoredOf({ isAnonymous })
  return sql`(
    select count(*) from (
      select from async_requests where workspace = ${workspace} and is_anonymous = ${isAnonymous} limit ${max}
    ) as known
  ) < ${max}`
}

/** A request whose key may still be restored waits for its lease to expire. */
function openOrLeave(open: () => AsyncRequest): AsyncRequest | 'later' | undefined {
  try {
    return readableOrLost(open)
  } catch (error) {
    if (error instanceof SealedUnreadable) return 'later'
    throw error
  }
}

export function postgresAsyncRequests(pool: pg.Pool, box: SealedBox): AsyncRequests {
  const seal = (id: string, part: 'asked' | 'answer', value: Secret<object>) =>
    box.seal(new Secret(JSON.stringify(value.reveal())), sealContext.asyncRequest(id, part))
  const open = (id: string, part: 'asked' | 'answer', sealed: string): unknown =>
    JSON.parse(box.open(sealed, sealContext.asyncRequest(id, part)).reveal())
  const toRequest = ({ asked, answer, ...rest }: z.infer<typeof Row>): AsyncRequest => ({
    ...rest,
    asked: new Secret(stored(SealedRequest, open(rest.id, 'asked', asked))),
    answer: answer === null ? undefined : new Secret(stored(SealedAnswer, open(rest.id, 'answer', answer))),
  })
  return {
    // Concurrent inserts don't see each other, so a burst may exceed the limit by its own size.
    async add({ id, workspace, agent, agentId, isAnonymous, asked }, owner, answer) {
      const [claims, seconds] = owner === undefined ? [0, 0] : [1, leaseSeconds]
      const statement = sql`
        insert into async_requests (id, workspace, agent, agent_id, is_anonymous, asked, answer, owner, claims, due_at)
        select ${id}, ${workspace}, ${agent}, ${agentId}, ${isAnonymous}::boolean, ${seal(id, 'asked', asked)},
          ${answer ? seal(id, 'answer', answer) : null}, ${owner ?? null}, ${claims}::int,
          now() + make_interval(secs => ${seconds})
        where ${hasRoom(workspace, isAnonymous)}`
      return (await execute(pool, prepared(statement))) === 1
    },

    async hasFired({ resourceId, trigger, firedFor }) {
      const found = sql`select from trigger_fires
        where resource_id = ${resourceId} and trigger = ${trigger} and fired_for = ${firedFor}`
      return (await execute(pool, found)) === 1
    },

    // One statement, so a crash leaves both the fire and its requests or neither.
    async addFired({ resourceId, trigger, firedFor }, requests) {
      const [first] = requests
      if (!first) return
      const [ids, asked] = [requests.map(({ id }) => id), requests.map(({ id, asked }) => seal(id, 'asked', asked))]
      await execute(
        pool,
        sql`with fired as (
            insert into trigger_fires (resource_id, trigger, fired_for)
            select ${resourceId}, ${trigger}::int, ${firedFor}::timestamptz where ${hasRoom(first.workspace, false)}
            on conflict do nothing returning 1),
          forgotten as (${forgetFires(resourceId, trigger, firedFor)})
          insert into async_requests (id, workspace, agent, agent_id, asked, claims, due_at)
          select given.id, ${first.workspace}, ${first.agent}, ${first.agentId}, given.asked, 0, now()
          from fired, unnest(${ids}::text[], ${asked}::text[]) as given (id, asked)`,
      )
    },

    // Ranks requests within their share, so a long queue does not delay others.
    async claim(owner, { total, taken, suspects }) {
      const statement = sql`
        with due as (
          select id, due_at, claims, is_anonymous,
            coalesce(count, 0) + row_number() over (partition by workspace, is_anonymous order by due_at) as place
          from async_requests left join
            unnest(${[...taken.keys()]}::text[], ${[...taken.values()]}::int[]) as taken (share, count)
            on share = case when is_anonymous then ${anonymousShare}::text || workspace else workspace end
          where due_at <= now()),
        fair as materialized (select * from due where place <= case when is_anonymous
          then ${maxConcurrentOf({ isAnonymous: true })}::int else ${maxConcurrentOf({ isAnonymous: false })}::int end),
        next as (
          (select id from fair where claims < ${suspectClaims} order by place, due_at limit ${total})
          union all
          (select id from fair where claims >= ${suspectClaims} order by place, due_at limit ${suspects}))
        update async_requests set owner = ${owner}, due_at = now() + make_interval(secs => ${leaseSeconds}),
          claims = claims + 1
        where id in (select id from async_requests where id in (select id from next) and due_at <= now()
          for update skip locked)
        returning ${sql.columns(Row)}`
      const claimed = await rows(pool, Row, prepared(statement))
      const opened = claimed.map((row) => ({ row, request: openOrLeave(() => toRequest(row)) }))
      return {
        requests: opened.flatMap(({ request }) => (request === 'later' || !request ? [] : [request])),
        lost: opened.flatMap(({ row, request }) => (request ? [] : [row])),
      }
    },

    async renew(owner, ids) {
      await execute(
        pool,
        sql`update async_requests set due_at = now() + make_interval(secs => ${leaseSeconds})
          where owner = ${owner} and id = any(${ids}::text[])`,
      )
    },

    async answered(id, owner, answer) {
      const sealed = seal(id, 'answer', answer)
      const kept = sql`update async_requests set answer = ${sealed}, claims = 1 where id = ${id} and owner = ${owner}`
      return (await execute(pool, kept)) === 1
    },

    async refused(id, owner, seconds) {
      await execute(
        pool,
        sql`update async_requests set owner = null, claims = 0, refusals = refusals + 1,
            due_at = now() + make_interval(secs => ${seconds})
          where id = ${id} and owner = ${owner}`,
      )
    },

    async done(id, owner) {
      await execute(pool, sql`delete from async_requests where id = ${id} and owner = ${owner}`)
    },

    async release(owner) {
      await execute(
        pool,
        sql`update async_requests set owner = null, claims = 0, due_at = now() where owner = ${owner}`,
      )
    },
  }
}
