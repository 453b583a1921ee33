// Keys made once and kept beside the data, so that cookies and signatures outlive a restart.
import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { sql } from 'kysely'
import type { FileboxDatabase } from './database.ts'

export type KeptKeys = { signing: JWK; cookies: string[] }

export async function keptKeys(db: FileboxDatabase): Promise<KeptKeys> {
  return (await readKeys(db)) ?? (await makeKeys(db))
}

async function readKeys(db: FileboxDatabase): Promise<KeptKeys | undefined> {
  const value = sql<KeptKeys>`value`.as('value')
  const row = await db.selectFrom('settings').select(value).where('name', '=', 'keys').executeTakeFirst()
  return row?.value
}

async function makeKeys(db: FileboxDatabase): Promise<KeptKeys> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const signing = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: randomBytes(6).toString('hex') }
  const value = JSON.stringify({ signing, cookies: [randomBytes(32).toString('base64url')] })
  // Two starts at once: the first keys stay, and both read them.
  await db
    .insertInto('settings')
    .values({ name: 'keys', value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await readKeys(db)) as KeptKeys
}
