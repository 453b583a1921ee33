import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, row, sql } from '../../../kit/database/sql.ts'
import type { Users } from '../domain/ports.ts'

const Row = z.object({
  id: z.string(),
  email: z.string(),
  roles: z.array(z.string()),
  passwordHash: maybe(z.string()),
  passwordSetAt: maybe(z.date()),
})

const columns = sql.columns(Row)

export function postgresUsers(pool: pg.Pool): Users {
  return {
    find: (id) => row(pool, Row, sql`select ${columns} from users where id = ${id}`),
    findByEmail: (email) => row(pool, Row, sql`select ${columns} from users where email = lower(${email})`),
    setPassword: async (email, passwordHash) =>
      (await execute(
        pool,
        sql`update users set password_hash = ${passwordHash}, password_set_at = now() where email = lower(${email})`,
      )) === 1,
    async put({ id, email, roles, passwordHash }) {
      await execute(
        pool,
        sql`insert into users as known (id, email, roles, password_hash, password_set_at)
          values (${id}, lower(${email}), ${roles}, ${passwordHash}, now())
          on conflict (email) do update set roles = excluded.roles, password_hash = excluded.password_hash,
            password_set_at = case when known.password_hash is distinct from excluded.password_hash
              then excluded.password_set_at else known.password_set_at end`,
      )
    },
  }
}
