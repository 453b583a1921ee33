// Looks at what a program asks of its stores, from outside: what it costs is what goes over the wire.
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { waitFor } from './wait-for.ts'

/** Stands before a PostgreSQL and counts the transactions that end there, a lone statement being one. */
export async function countedPostgres(url: string) {
  const target = new URL(url)
  const port = await freePort()
  let ended = 0
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) })
    const count = readyMessages(() => ended++)
    near.on('data', (chunk) => far.write(chunk)).on('close', () => far.destroy())
    far.on('data', (chunk) => {
      count(chunk)
      near.write(chunk)
    })
    for (const side of [near, far]) side.on('error', () => {})
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const through = new URL(url)
  through.host = `127.0.0.1:${port}`
  return { url: through.href, ended: () => ended, close: () => server.close() }
}

/** Reads messages of the server: a letter, a length, a body. `Z` with `I` says that no transaction is open. */
function readyMessages(onIdle: () => void) {
  let rest = Buffer.alloc(0)
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1)
      if (rest[0] === 0x5a && rest[5] === 0x49) onIdle()
      rest = rest.subarray(end)
    }
  }
}

/**
 * The commands that clients send to one logical database of a Redis; what a script does inside is no round trip. Read
 * off the wire: the client library takes what others send in the moment of its own request for an answer to it.
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
  // Until it watches, no mark is seen.
  await waitFor('Redis is watched', () => Promise.race([take(), pause(50)]))
  return {
    /** Those since the last time. */
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
