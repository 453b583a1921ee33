import { z } from 'zod'
import type { Keyring, SealedBox } from '../crypto/sealed-box.ts'
import { Secret } from '../crypto/secret.ts'
import { StartError } from '../process/start-error.ts'
import { execute, type Queryable, rows, type Sql, sql } from './sql.ts'

const KnownKey = z.object({ id: z.string(), checkValue: z.string() })

/** Fails if the database has values sealed by a key that is missing, or differs under the same ID. Registers our key. */
export async function assertKeysLoaded(db: Queryable, { keys, primary }: Keyring, box: SealedBox): Promise<void> {
  const known = await rows(db, KnownKey, sql`select id, check_value as "checkValue" from encryption_keys order by id`)
  const missing = known.filter(({ id }) => !keys.has(id)).map(({ id }) => id)
  const other = known.filter((key) => keys.has(key.id) && !opens(box, key)).map(({ id }) => id)
  const problems = [
    missing.length > 0 &&
      `ENCRYPTION_KEYS: lacks ${missing.join(', ')}, which sealed values in the database: add it after the first key, and see rotate-encryption`,
    other.length > 0 && `ENCRYPTION_KEYS: ${other.join(', ')} is not the key that sealed values in the database`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0) throw new StartError(problems)
  await execute(db, sql`${remembered(box, primary)} on conflict (id) do nothing`)
}

/** In one statement: a process that starts now is connected already, or registers its key again afterwards. */
export async function forgetOtherKeys(
  db: Queryable,
  box: SealedBox,
  { program, primary }: { program: string; primary: string },
): Promise<void> {
  await execute(
    db,
    sql`
      with remembered as (${remembered(box, primary)} on conflict (id) do nothing)
      delete from encryption_keys where id <> ${primary} and not ${isSealedByOthers(program, primary)}`,
  )
}

const remembered = (box: SealedBox, id: string): Sql =>
  sql`insert into encryption_keys (id, check_value) values (${id}, ${box.seal(checkText, contextOf(id))})`

/** If it opens, the key is the same. */
const checkText = new Secret('encryption key')
const contextOf = (id: string) => `encryption-key|${id}`

function opens(box: SealedBox, { id, checkValue }: z.infer<typeof KnownKey>): boolean {
  try {
    return box.open(checkValue, contextOf(id)).reveal() === checkText.reveal()
  } catch {
    return false
  }
}

/** Part of the name of each connection, so the database knows the sealing keys of all live processes. */
const prefixOf = (program: string) => `${program} sealing by `

/** PostgreSQL takes 63 characters; key IDs have at most 32. */
export const sealingName = (program: string, keyId: string): string => prefixOf(program) + keyId

const othersThan = (program: string, keyId: string): Sql => sql`
  select distinct application_name as name from pg_stat_activity
  where datname = current_database() and starts_with(application_name, ${prefixOf(program)})
    and application_name <> ${sealingName(program, keyId)}`

const isSealedByOthers = (program: string, keyId: string): Sql => sql`exists (${othersThan(program, keyId)})`

export async function otherSealingKeys(db: Queryable, program: string, keyId: string): Promise<string[]> {
  const found = await rows(db, z.object({ name: z.string() }), sql`${othersThan(program, keyId)} order by 1`)
  return found.map(({ name }) => name.slice(prefixOf(program).length))
}
