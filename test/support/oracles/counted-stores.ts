// Looks at what a program asks of its stores, from outside: what it costs is what goes over the wire.
import { connect, createServer } from 'node:net'
import { Redis } from 'ioredis'
import { freePort } from '../../../src/kit/embedded/free-port.ts'

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

/** The commands that clients send to one logical database of a Redis; what a script does inside is no round trip. */
export async function watchedRedis(url: string) {
  const asking = new Redis(url)
  const own = String(asking.options.db)
  const monitor = await asking.monitor() // a connection of its own, beside that of who asks for it
  const commands: string[][] = []
  const awaited = new Map<string, () => void>()
  let marks = 0
  monitor.on('monitor', (_time: string, args: string[], source: string, database: string) => {
    const seen = awaited.get(args[1] ?? '')
    if (seen) seen()
    else if (source !== 'lua' && database === own) commands.push(args)
  })
  return {
    /** Those since the last time. */
    async take(): Promise<string[][]> {
      const mark = `mark-${marks++}`
      const seen = new Promise<void>((resolve) => awaited.set(mark, resolve))
      await Promise.all([seen, asking.echo(mark)])
      return commands.splice(0).filter(([name = '']) => name.toLowerCase() !== 'info')
    },
    close() {
      monitor.disconnect()
      asking.disconnect()
    },
  }
}
