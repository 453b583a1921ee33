import { z } from 'zod'
import type { Keyring, SealedBox } from '../crypto/sealed-box.ts'
import { Secret } from '../crypto/secret.ts'
import { StartError } from '../process/start-error.ts'
import { isSealedByOthers } from './sealing-processes.ts'
import { execute, type Queryable, rows, type Sql, sql } from './sql.ts'

const KnownKey = z.object({ id: z.string(), checkValue: z.string() })

/**
 * Without a key that sealed what is here, secrets could neither be used nor revoked; with another one under its id they
 * would be lost one by one, while new ones are sealed by it. From here on ours is known.
 */
export async function assertKeysLoaded(db: Queryable, { keys, primary }: Keyring, box: SealedBox): Promise<void> {
  const known = await rows(db, KnownKey, sql`select id, check_value as "checkValue" from encryption_keys order by id`)
  const missing = known.filter(({ id }) => !keys.has(id)).map(({ id }) => id)
  const other = known.filter((key) => keys.has(key.id) && !opens(box, key)).map(({ id }) => id)
  const problems = [
    ...(missing.length > 0
      ? [
          `ENCRYPTION_KEYS: is without ${missing.join(', ')}, which sealed values in the database: put it back behind the first, and see rotate-encryption`,
        ]
      : []),
    ...(other.length > 0
      ? [`ENCRYPTION_KEYS: has another key as ${other.join(', ')} than the one that sealed values in the database`]
      : []),
  ]
  if (problems.length > 0) throw new StartError(problems)
  await execute(db, sql`${remembered(box, primary)} on conflict (id) do nothing`)
}

/**
 * Nothing is sealed by another key any more, if no process is connected that seals by one. In one statement: one that
 * starts meanwhile either is connected before it, or writes its key down again behind it.
 */
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

/** What is sealed says nothing: that it opens tells that the key is the same. */
const checkText = new Secret('encryption key')
const contextOf = (id: string) => `encryption-key|${id}`

function opens(box: SealedBox, { id, checkValue }: z.infer<typeof KnownKey>): boolean {
  try {
    return box.open(checkValue, contextOf(id)).reveal() === checkText.reveal()
  } catch {
    return false
  }
}
