import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { demoAccounts } from '../domain/accounts.ts'

export type StoredFile = { id: string; name: string; type: string; content: string; modifiedAt: Date }

export type Files = ReturnType<typeof filesOf>

const ofAccount = 'select * from files where account_id = $1'

export function filesOf(pool: pg.Pool) {
  return {
    async find(accountId: string, text: string): Promise<StoredFile[]> {
      const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
      const found = `${ofAccount} and name ilike $2 order by name limit 100`
      return (await pool.query<FileRow>(found, [accountId, pattern])).rows.map(toFile)
    },
    async read(accountId: string, id: string): Promise<StoredFile | undefined> {
      const { rows } = await pool.query<FileRow>(`${ofAccount} and id = $2`, [accountId, id])
      return rows[0] && toFile(rows[0])
    },
    async add(accountId: string, file: Pick<StoredFile, 'name' | 'type' | 'content'>): Promise<StoredFile> {
      const added = { id: `file_${randomBytes(9).toString('base64url')}`, ...file, modifiedAt: new Date() }
      await place(pool, accountId, added)
      return added
    },
  }
}

type FileRow = Omit<StoredFile, 'modifiedAt'> & { modified_at: Date }

const toFile = ({ id, name, type, content, modified_at }: FileRow): StoredFile => ({
  id,
  name,
  type,
  content,
  modifiedAt: modified_at,
})

/** Each account has different files, so that visitors see which account they opened. */
export async function placeFirstFiles(pool: pg.Pool): Promise<void> {
  const places = demoAccounts.flatMap((account, owner) =>
    (firstFiles[owner] ?? []).map(([name, type, content], index) => {
      const modifiedAt = new Date(Date.UTC(2026, 2, 3 + index, 9, 30))
      return place(pool, account.id, { id: `file_${account.id}_${index + 1}`, name, type, content, modifiedAt })
    }),
  )
  await Promise.all(places)
}

async function place(pool: pg.Pool, accountId: string, file: StoredFile): Promise<void> {
  const { id, name, type, content, modifiedAt } = file
  await pool.query(
    `insert into files (id, account_id, name, type, content, modified_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do nothing`,
    [id, accountId, name, type, content, modifiedAt],
  )
}

const firstFiles: ReadonlyArray<ReadonlyArray<[name: string, type: string, content: string]>> = [
  [
    [
      'Launch checklist.md',
      'text/markdown',
      '# Launch\n\n- [x] Choose a name\n- [x] Build the bridge\n- [ ] Open it\n',
    ],
    ['Budget 2026.csv', 'text/csv', 'item,amount\nstone,1200\nlamps,340\nrope,85\n'],
    ['Meeting notes.txt', 'text/plain', 'Tide tables agreed. Next meeting when the water is low.\n'],
  ],
  [
    ['Recipes.md', 'text/markdown', '# Soup\n\nOnions, time, salt.\n'],
    ['Reading list.txt', 'text/plain', 'A history of lighthouses\nThe shipping forecast\n'],
  ],
]
