// The support console reads from a standby, and no page is older than the request for it.
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openPool } from '../../src/kit/database/pool.ts'
import { openReader } from '../../src/kit/database/read-replica.ts'
import { one, type Queryable, sql } from '../../src/kit/database/sql.ts'
import { startReplicatedPostgres } from '../support/processes/replicated-postgres.ts'

let servers: Awaited<ReturnType<typeof startReplicatedPostgres>>
let primary: pg.Pool
let administrator: pg.Pool
beforeAll(async () => {
  servers = await startReplicatedPostgres({ isSynchronous: false })
  primary = openPool(servers.primaryUrl)
  administrator = new pg.Pool({ connectionString: servers.standbyUrl, max: 1 })
  administrator.on('error', () => {}) // the servers end first
  await primary.query('create table notes (id integer)')
})
afterAll(async () => {
  await administrator.end()
  await primary.end()
  await servers.stop()
})

const counted = sql`select count(*)::integer as count, pg_is_in_recovery() as "fromStandby" from notes`

const Notes = z.object({ count: z.number(), fromStandby: z.boolean() })

const read = (db: Queryable) => one(db, Notes, counted)

async function withReader<T>(url: string, work: (reader: Queryable) => Promise<T>): Promise<T> {
  const reader = openReader(url, primary)
  return work(reader).finally(reader.close)
}

const write = () => primary.query('insert into notes values (1)')

const size = async () => (await primary.query('select count(*)::integer as count from notes')).rows[0].count

test('a read right after a commit has it, from the standby', async () => {
  await withReader(servers.standbyUrl, async (reader) => {
    for (let at = 0; at < 50; at++) {
      await write()
      expect(await read(reader)).toEqual({ count: await size(), fromStandby: true })
    }
  })
})

test('while the standby is behind, the primary is read, and later the standby again', async () => {
  await administrator.query('select pg_wal_replay_pause()')
  await write()

  await withReader(servers.standbyUrl, async (reader) => {
    expect(await read(reader)).toEqual({ count: await size(), fromStandby: false })
  })

  await administrator.query('select pg_wal_replay_resume()')
  await withReader(servers.standbyUrl, async (reader) => {
    expect(await read(reader)).toEqual({ count: await size(), fromStandby: true })
  })
})

test('without an answer of the standby, the primary is read', async () => {
  await withReader('postgres://127.0.0.1:1/nothing', async (reader) => {
    expect(await read(reader)).toEqual({ count: await size(), fromStandby: false })
    expect(await read(reader)).toEqual({ count: await size(), fromStandby: false })
  })
})

test('a server that is a primary itself is not read, because it may be an old one', async () => {
  const other = await primary.query('create database other').then(() => servers.primaryUrl.replace(/[^/]+$/, 'other'))

  await withReader(other, async (reader) => {
    expect(await read(reader)).toEqual({ count: await size(), fromStandby: false })
  })
})
