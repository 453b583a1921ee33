import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import type { User, Users } from '../domain/ports.ts'

const Row = z
  .object({ id: z.string(), email: z.string(), roles: z.array(z.string()), passwordHash: z.string().nullable() })
  .transform((row): User => ({ ...row, passwordHash: row.passwordHash ?? undefined }))

export function postgresUsers(pool: pg.Pool): Users {
  const findBy = async (condition: string, value: string): Promise<User | undefined> => {
    const columns = 'id, email, roles, password_hash as "passwordHash"'
    const { rows } = await pool.query(`select ${columns} from users where ${condition}`, [value])
    return rows[0] && stored(Row, rows[0])
  }
  return {
    find: (id) => findBy('id = $1', id),
    findByEmail: (email) => findBy('email = lower($1)', email),
    async setPassword(email, passwordHash) {
      const text = 'update users set password_hash = $2 where email = lower($1)'
      return (await pool.query(text, [email, passwordHash])).rowCount === 1
    },
    async put({ id, email, roles, passwordHash }) {
      await pool.query(
        `insert into users (id, email, roles, password_hash) values ($1, lower($2), $3, $4)
         on conflict (email) do update set roles = excluded.roles, password_hash = excluded.password_hash`,
        [id, email, roles, passwordHash],
      )
    },
  }
}
