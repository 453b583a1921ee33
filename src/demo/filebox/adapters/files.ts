import { randomBytes } from 'node:crypto'
import { demoAccounts } from '../domain/accounts.ts'
import type { FileboxDatabase } from './database.ts'

export type StoredFile = { id: string; name: string; type: string; content: string; modifiedAt: Date }

export type Files = ReturnType<typeof filesOf>

export function filesOf(db: FileboxDatabase) {
  const ofAccount = (accountId: string) => db.selectFrom('files').selectAll().where('account_id', '=', accountId)
  return {
    async find(accountId: string, text: string): Promise<StoredFile[]> {
      const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
      const rows = await ofAccount(accountId).where('name', 'ilike', pattern).orderBy('name').limit(100).execute()
      return rows.map(toFile)
    },
    async read(accountId: string, id: string): Promise<StoredFile | undefined> {
      const row = await ofAccount(accountId).where('id', '=', id).executeTakeFirst()
      return row && toFile(row)
    },
    async add(accountId: string, file: Pick<StoredFile, 'name' | 'type' | 'content'>): Promise<StoredFile> {
      const row = { id: `file_${randomBytes(9).toString('base64url')}`, account_id: accountId, modified_at: new Date() }
      await db
        .insertInto('files')
        .values({ ...row, ...file })
        .execute()
      return toFile({ ...row, ...file })
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

/** A few files per account, each set different, so that a visitor sees at a glance whose they are. */
export async function placeFirstFiles(db: FileboxDatabase): Promise<void> {
  const rows = demoAccounts.flatMap((account, owner) =>
    (firstFiles[owner] ?? []).map(([name, type, content], index) => ({
      id: `file_${account.id}_${index + 1}`,
      account_id: account.id,
      name,
      type,
      content,
      modified_at: new Date(Date.UTC(2026, 2, 3 + index, 9, 30)),
    })),
  )
  await db
    .insertInto('files')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
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
