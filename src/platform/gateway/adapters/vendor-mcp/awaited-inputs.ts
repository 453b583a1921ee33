import type pg from 'pg'
import { z } from 'zod'
import type { OpaqueCursors } from '../../../../kit/crypto/opaque-cursor.ts'
import { execute, maybe, row, rows, sql } from '../../../../kit/database/sql.ts'
import type { AwaitedInputs } from '../../domain/clients/inputs.ts'
import type { Elicitation } from '../../domain/repair.ts'

const Row = z.object({ content: maybe(z.string()) })

const keptHours = 1

const Done = z.object({ key: z.string() })

/** Pages of vendors' servers that have served their purpose, for the process that has a stream of the session. */
export const postgresDonePages = (pool: pg.Pool) => ({
  async add(session: string, id: string): Promise<void> {
    await execute(
      pool,
      sql`insert into awaited_inputs (key) values (${`done|${session}|${id}`}) on conflict do nothing`,
    )
  },

  async takeComplete(sessions: readonly string[]): Promise<Elicitation[]> {
    const done = await rows(
      pool,
      Done,
      sql`delete from awaited_inputs where key like 'done|%' and split_part(key, '|', 2) = any(${[...sessions]}::text[])
        returning key`,
    )
    return done.map(({ key }) => {
      const [, session = '', ...id] = key.split('|')
      return { session, id: id.join('|') }
    })
  },
})

/** Sealed, because people fill in forms. */
export function postgresAwaitedInputs(
  pool: pg.Pool,
  seals: OpaqueCursors,
  now: () => Date,
): AwaitedInputs & { sweep(): Promise<number> } {
  const sealed = (key: string, content: unknown) => seals.seal(content, `input|${key}`, now())
  return {
    async expect(key) {
      await execute(pool, sql`insert into awaited_inputs (key) values (${key})`)
    },

    answer: async (key, content) =>
      (await execute(
        pool,
        sql`update awaited_inputs set content = ${sealed(key, content)} where key = ${key} and content is null`,
      )) === 1,

    async put(key, content) {
      await execute(pool, sql`insert into awaited_inputs (key, content) values (${key}, ${sealed(key, content)})`)
    },

    async take(key) {
      const found = await row(
        pool,
        Row,
        sql`delete from awaited_inputs where key = ${key} and content is not null returning content`,
      )
      return found?.content === undefined ? undefined : { content: seals.open(found.content, `input|${key}`, now()) }
    },

    sweep: () =>
      execute(
        pool,
        sql`delete from awaited_inputs where created_at < now() - ${keptHours}::integer * interval '1 hour'`,
      ),
  }
}
