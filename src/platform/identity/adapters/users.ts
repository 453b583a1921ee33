import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, row, sql } from '../../../kit/database/sql.ts'
import type { Users } from '../domain/ports.ts'

const Row = z.object({
  id: z.string(),
  email: z.string(),
  roles: z.array(z.string()),
  passwordHash: maybe(z.string()),
})

const columns = sql.columns(Row)

export function postgresUsers(pool: pg.Pool): Users {
  return {
    find: (id) => row(pool, Row, sql`select ${columns} from users where id = ${id}`),
    findByEmail: (email) => row(pool, Row, sql`select ${columns} from users where email = lower(${email})`),
    setPassword: async (email, passwordHash) =>
      (await execute(pool, sql`update users set password_hash = ${passwordHash} where email = lower(${email})`)) === 1,
    async put({ id, email, roles, passwordHash }) {
      await execute(
        pool,
        sql`insert into users (id, email, roles, password_hash)
          values (${id}, lower(${email}), ${roles}, ${passwordHash})
          on conflict (email) do update set roles = excluded.roles, password_hash = excluded.password_hash`,
      )
    },
  }
}
