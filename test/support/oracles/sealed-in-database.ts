import type pg from 'pg'

const envelope = '\\mv\\d+\\.[a-z0-9-]{1,32}\\.[A-Za-z0-9_-]{40,}\\.[A-Za-z0-9_-]{30,}\\M'

/** All columns with sealed values, and the keys that sealed them. */
export async function sealedInDatabase(db: pg.Pool): Promise<Map<string, string[]>> {
  const { rows: columns } = await db.query(`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and table_name <> 'encryption_keys'`) // each key's own check value goes with the key
  const found = new Map<string, string[]>()
  for (const { table_name: table, column_name: column } of columns) {
    const { rows } = await db.query(`
      select distinct split_part(substring("${column}"::text from '${envelope}'), '.', 2) as key
      from "${table}" where "${column}"::text ~ '${envelope}'`)
    if (rows.length > 0) found.set(`${table}.${column}`, rows.map(({ key }) => key).sort())
  }
  return found
}
