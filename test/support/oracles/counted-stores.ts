// Counts the traffic between a program and its stores on the wire.
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type pg from 'pg'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { waitFor } from './wait-for.ts'

type LedgerTraffic = {
  /** Round trips. */
  roundTrips: number
  statements: number
  transactions: number
  bytes: number
}

/** A counting PostgreSQL proxy. */
export async function countedPostgres(url: string) {
  const target = new URL(url)
  const port = await freePort()
  const seen: LedgerTraffic = { roundTrips: 0, statements: 0, transactions: 0, bytes: 0 }
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) })
    const asked = clientMessages((letter, body) => {
      // Sync, and a query without parameters; Execute, and the same.
      if (letter === 'S' || letter === 'Q') seen.roundTrips++
      if (letter === 'E' || letter === 'Q') seen.statements++
      seen.bytes += 5 + body.length
    })
    // ReadyForQuery: no transaction is open.
    const answered = messages((letter, body) => {
      if (letter === 'Z' && body.toString() === 'I') seen.transactions++
    })
    near.on('data', (chunk) => {
      asked(chunk)
      far.write(chunk)
    })
    near.on('close', () => far.destroy())
    far.on('data', (chunk) => {
      answered(chunk)
      near.write(chunk)
    })
    for (const side of [near, far]) side.on('error', () => {})
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const through = new URL(url)
  through.host = `127.0.0.1:${port}`
  return { url: through.href, seen: (): LedgerTraffic => ({ ...seen }), close: () => server.close() }
}

type OnMessage = (letter: string, body: Buffer) => void

/** PostgreSQL messages: type byte, length, body. */
function messages(onMessage: OnMessage) {
  let rest = Buffer.alloc(0)
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1)
      onMessage(String.fromCharCode(rest[0] as number), rest.subarray(5, end))
      rest = rest.subarray(end)
    }
  }
}

/** The first message of a client has no type byte. */
function clientMessages(onMessage: OnMessage) {
  const read = messages(onMessage)
  let isFirst = true
  return (chunk: Buffer) => {
    read(isFirst ? chunk.subarray(chunk.readUInt32BE(0)) : chunk)
    isFirst = false
  }
}

/** PostgreSQL’s own counters: rows by kind for one database, WAL bytes for the whole server. */
export async function ledgerWrites(client: pg.Client) {
  // Sessions report their counters at their end at the latest.
  await client.query(`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  const { rows } = await client.query(`
    select sum(n_tup_ins) as inserted, sum(n_tup_upd) as updated, sum(n_tup_hot_upd) as hot, sum(n_tup_del) as deleted,
      (select pg_current_wal_insert_lsn() - '0/0') as wal
    from pg_stat_user_tables`)
  const [{ inserted, updated, hot, deleted, wal }] = rows
  return {
    inserted: Number(inserted),
    updated: Number(updated),
    hot: Number(hot),
    deleted: Number(deleted),
    walBytes: Number(wal),
  }
}

/**
 * Counts commands of one logical Redis database; commands inside scripts are not round trips. Parsed from the raw
 * MONITOR stream, because the client library mistakes concurrent lines for replies.
 */
export async function watchedRedis(url: string) {
  const { hostname, port, password, pathname } = new URL(url)
  const asking = new Redis(url)
  const commands: string[][] = []
  const awaited = new Map<string, () => void>()
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(`${password ? `AUTH ${password}\r\n` : ''}MONITOR\r\n`)
  const lines = createInterface(socket)
  let marks = 0
  lines.on('line', (line) => {
    const seen = seenCommand(line)
    const mark = awaited.get(seen?.args[1] ?? '')
    if (mark) mark()
    else if (seen && seen.source !== 'lua' && `/${seen.database}` === pathname) commands.push(seen.args)
  })
  const take = async (): Promise<string[][]> => {
    const mark = `mark-${marks++}`
    const seen = new Promise<void>((resolve) => awaited.set(mark, resolve))
    await Promise.all([seen, asking.echo(mark)])
    return commands.splice(0).filter(([name = '']) => name.toLowerCase() !== 'info')
  }
  // Marks are visible only once MONITOR runs.
  await waitFor('Redis is watched', () => Promise.race([take(), pause(50)]))
  return {
    take,
    close() {
      lines.close()
      socket.destroy()
      asking.disconnect()
    },
  }
}

/** As Redis writes them: `+1763286000.107412 [0 127.0.0.1:60866] "get" "a\\"b"`. */
function seenCommand(line: string): { database: string; source: string; args: string[] } | undefined {
  const [, database, source, words] = /^\+\d+\.\d+ \[(\d+) (\S+)\] (.*)$/.exec(line) ?? []
  if (database === undefined || source === undefined || words === undefined) return undefined
  return { database, source, args: Array.from(words.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word = '']) => word) }
}
