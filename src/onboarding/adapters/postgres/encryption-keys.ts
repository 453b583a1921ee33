import { sql } from 'kysely'
import type { Keyring } from '../../../kit/crypto/sealed-box.ts'
import type { Database } from '../../../kit/database/database.ts'
import { StartError } from '../../../kit/process/start-error.ts'
import type { LedgerSchema } from './schema.ts'

/** Without a key that sealed what is here, grants could neither be used nor given back. From here on ours is known. */
export async function assertKeysLoaded(db: Database<LedgerSchema>, { primary, keys }: Keyring): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from encryption_keys where id <> all(${[...keys.keys()]}::text[]) order by id`.execute(db)
  if (rows.length > 0) {
    const missing = rows.map(({ id }) => id).join(', ')
    throw new StartError(
      `ENCRYPTION_KEYS: is without ${missing}, which sealed values in the ledger: put it back behind the first, and see keys rotate-encryption`,
    )
  }
  await sql`insert into encryption_keys (id) values (${primary}) on conflict (id) do nothing`.execute(db)
}

/** Nothing is sealed by another key any more. */
export async function forgetOtherKeys(db: Database<LedgerSchema>, primary: string): Promise<void> {
  await sql`
    with kept as (insert into encryption_keys (id) values (${primary}) on conflict (id) do nothing)
    delete from encryption_keys where id <> ${primary}`.execute(db)
}
