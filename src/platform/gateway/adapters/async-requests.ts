import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, prepared, rows, sql } from '../../../kit/database/sql.ts'
import { stored } from '../../../kit/database/stored.ts'
import { suspectClaims } from '../../shared/domain/callback.ts'
import { type AsyncRequest, type AsyncRequests, mostOfWorkspace, shareOfWorkspace } from '../domain/async-request.ts'

/** After this a silent owner counts as dead; it renews three times as often. */
const leaseSeconds = 15

const Row = z.object({
  id: z.string(),
  workspace: z.string(),
  agent: z.string(),
  agentId: z.string(),
  asked: z.string(),
  answer: z.string().nullable(),
  claims: z.number(),
  refusals: z.number(),
})

/** JSON leaves out what is undefined; the program names it. */
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

const contextOf = (id: string, part: 'asked' | 'answer') => `async-request|${id}|${part}`

export function postgresAsyncRequests(pool: pg.Pool, box: SealedBox): AsyncRequests {
  const seal = (id: string, part: 'asked' | 'answer', value: Secret<object>) =>
    box.seal(new Secret(JSON.stringify(value.reveal())), contextOf(id, part))
  const open = (id: string, part: 'asked' | 'answer', sealed: string): unknown =>
    JSON.parse(box.open(sealed, contextOf(id, part)).reveal())
  const toRequest = ({ asked, answer, ...rest }: z.infer<typeof Row>): AsyncRequest => ({
    ...rest,
    asked: new Secret(stored(SealedRequest, open(rest.id, 'asked', asked))),
    answer: answer === null ? undefined : new Secret(stored(SealedAnswer, open(rest.id, 'answer', answer))),
  })
  return {
    // Concurrent inserts do not see each other: a burst may pass the limit by its own size.
    async add({ id, workspace, agent, agentId, asked }, owner) {
      const [claims, seconds] = owner === undefined ? [0, 0] : [1, leaseSeconds]
      const statement = sql`
        insert into async_requests (id, workspace, agent, agent_id, asked, owner, claims, due_at)
        select ${id}, ${workspace}, ${agent}, ${agentId}, ${seal(id, 'asked', asked)}, ${owner ?? null}, ${claims}::int,
          now() + make_interval(secs => ${seconds})
        where (
          select count(*) from (select from async_requests where workspace = ${workspace} limit ${mostOfWorkspace}) as known
        ) < ${mostOfWorkspace}`
      return (await execute(pool, prepared(statement))) === 1
    },

    // The first of every workspace comes before the second of any: a long queue is no way to the front.
    async claim(owner, { total, taken, suspects }) {
      const statement = sql`
        with due as (
          select id, due_at, claims, coalesce(count, 0) + row_number() over (partition by workspace order by due_at) as place
          from async_requests left join
            unnest(${[...taken.keys()]}::text[], ${[...taken.values()]}::int[]) as taken (workspace, count)
            using (workspace)
          where due_at <= now()),
        fair as materialized (select * from due where place <= ${shareOfWorkspace}),
        next as (
          (select id from fair where claims < ${suspectClaims} order by place, due_at limit ${total})
          union all
          (select id from fair where claims >= ${suspectClaims} order by place, due_at limit ${suspects}))
        update async_requests set owner = ${owner}, due_at = now() + make_interval(secs => ${leaseSeconds}),
          claims = claims + 1
        where id in (select id from async_requests where id in (select id from next) and due_at <= now()
          for update skip locked)
        returning ${sql.columns(Row)}`
      return (await rows(pool, Row, prepared(statement))).map(toRequest)
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
