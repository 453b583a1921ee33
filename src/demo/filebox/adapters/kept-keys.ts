// Stores the keys, so that cookies and signatures survive a restart.
import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type pg from 'pg'

export type KeptKeys = { signing: JWK; cookies: string[] }

export async function keptKeys(pool: pg.Pool): Promise<KeptKeys> {
  return (await readKeys(pool)) ?? (await makeKeys(pool))
}

async function readKeys(pool: pg.Pool): Promise<KeptKeys | undefined> {
  const { rows } = await pool.query<{ value: KeptKeys }>("select value from settings where name = 'keys'")
  return rows[0]?.value
}

async function makeKeys(pool: pg.Pool): Promise<KeptKeys> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const signing = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: randomBytes(6).toString('hex') }
  const value = JSON.stringify({ signing, cookies: [randomBytes(32).toString('base64url')] })
  // If two processes start at once, both read the keys of the first.
  await pool.query("insert into settings (name, value) values ('keys', $1) on conflict do nothing", [value])
  return (await readKeys(pool)) as KeptKeys
}
