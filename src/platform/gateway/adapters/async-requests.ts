import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { stored } from '../../../kit/database/stored.ts'
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
  asks: z.number(),
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
  const toRequest = (row: unknown): AsyncRequest => {
    const { asked, answer, ...rest } = stored(Row, row)
    return {
      ...rest,
      asked: new Secret(stored(SealedRequest, open(rest.id, 'asked', asked))),
      answer: answer === null ? undefined : new Secret(stored(SealedAnswer, open(rest.id, 'answer', answer))),
    }
  }
  return {
    // Concurrent inserts do not see each other: a burst may pass the limit by its own size.
    async add({ id, workspace, agent, agentId, asked }, owner) {
      const { rowCount } = await pool.query({
        name: 'add-async-request',
        text: `insert into async_requests (id, workspace, agent, agent_id, asked, owner, asks, due_at)
          select $1, $2, $3, $4, $5, $6::text, case when $6 is null then 0 else 1 end,
            now() + case when $6 is null then 0 else $7 end * interval '1 second'
          where (select count(*) from (select from async_requests where workspace = $2 limit $8) as known) < $8`,
        values: [id, workspace, agent, agentId, seal(id, 'asked', asked), owner ?? null, leaseSeconds, mostOfWorkspace],
      })
      return rowCount === 1
    },

    // The first of every workspace comes before the second of any: a long queue is no way to the front.
    async claim(owner, room, taken) {
      const { rows } = await pool.query({
        name: 'claim-async-requests',
        text: `with due as (
            select id, due_at, coalesce(count, 0) + row_number() over (partition by workspace order by due_at) as place
            from async_requests left join unnest($4::text[], $5::int[]) as taken (workspace, count) using (workspace)
            where due_at <= now()),
          next as (select id from due where place <= $6 order by place, due_at limit $2)
          update async_requests set owner = $1, due_at = now() + make_interval(secs => $3),
            asks = asks + (answer is null)::int
          where id in (select id from async_requests where id in (select id from next) and due_at <= now()
            for update skip locked)
          returning id, workspace, agent, agent_id as "agentId", asked, answer, asks, refusals`,
        values: [owner, room, leaseSeconds, [...taken.keys()], [...taken.values()], shareOfWorkspace],
      })
      return rows.map(toRequest)
    },

    async renew(owner, ids) {
      await pool.query(
        'update async_requests set due_at = now() + make_interval(secs => $3) where owner = $1 and id = any($2)',
        [owner, ids, leaseSeconds],
      )
    },

    async answered(id, owner, answer) {
      const text = 'update async_requests set answer = $3 where id = $1 and owner = $2'
      return (await pool.query(text, [id, owner, seal(id, 'answer', answer)])).rowCount === 1
    },

    async refused(id, owner, seconds) {
      await pool.query(
        `update async_requests set owner = null, refusals = refusals + 1, due_at = now() + make_interval(secs => $3)
         where id = $1 and owner = $2`,
        [id, owner, seconds],
      )
    },

    async done(id, owner) {
      await pool.query('delete from async_requests where id = $1 and owner = $2', [id, owner])
    },

    async release(owner) {
      await pool.query('update async_requests set owner = null, due_at = now() where owner = $1', [owner])
    },
  }
}
