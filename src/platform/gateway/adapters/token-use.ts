import type pg from 'pg'
import { z } from 'zod'
import { execute, row, sql } from '../../../kit/database/sql.ts'
import type { TokenUse } from '../domain/token-limit.ts'

const Row = z.object({ input: z.coerce.number(), output: z.coerce.number() })

export const postgresTokenUse = (pool: pg.Pool): TokenUse => ({
  async used(model, { span, number }) {
    const used = sql`select input, output from token_use where model = ${model} and span = ${span} and number = ${number}`
    return (await row(pool, Row, used)) ?? { input: 0, output: 0 }
  },

  async add(model, windows, { input, output }) {
    for (const { span, number } of windows)
      await execute(
        pool,
        sql`insert into token_use as known (model, span, number, input, output)
          select id, ${span}, ${number}, ${input}, ${output} from resources where id = ${model}
          on conflict (model, span) do update set number = excluded.number,
            input = excluded.input + case when known.number = excluded.number then known.input else 0 end,
            output = excluded.output + case when known.number = excluded.number then known.output else 0 end
          where excluded.number >= known.number`,
      )
  },
})
