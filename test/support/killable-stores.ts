// Real servers that a test may kill, freeze and start again on the same folder and port.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { startPostgres } from '../../src/kit/embedded/postgres.ts'
import { startRedis } from '../../src/kit/embedded/redis.ts'
import type { Tethered } from '../../src/kit/embedded/tethered-process.ts'
import { temporaryFolder } from './stores.ts'
import { waitFor } from './wait-for.ts'

export type KillableRedis = Awaited<ReturnType<typeof startKillableRedis>>
export type KillablePostgres = Awaited<ReturnType<typeof startKillablePostgres>>

/** `password`: the same as another one's, so that its clients can come over. */
export async function startKillableRedis(settings: Record<string, string> = {}, password?: string) {
  const folder = temporaryFolder()
  if (password) writeFileSync(join(folder, 'password'), password)
  const port = await freePort()
  // A primary otherwise waits five seconds for more replicas before it sends the first one anything.
  const all = { 'repl-diskless-sync-delay': '0', ...settings }
  const start = (more: Record<string, string> = {}) => startRedis({ folder, port, settings: { ...all, ...more } })
  let server = await start()
  return {
    port,
    url: server.url,
    password: new URL(server.url).password,
    /** One command to the server itself, past every line. */
    async command(name: string, ...args: string[]) {
      const client = new Redis(server.url, { enableReadyCheck: false, maxRetriesPerRequest: 1 })
      client.on('error', () => {})
      return client.call(name, ...args).finally(() => client.disconnect())
    },
    /** On the same folder: what the append-only file holds is there again. */
    async start(more?: Record<string, string>) {
      server = await start(more)
    },
    kill: () => kill(server.process),
    freeze: () => process.kill(pidOf(server.process), 'SIGSTOP'),
    thaw: () => process.kill(pidOf(server.process), 'SIGCONT'),
    /** Between kill and start: the next one knows nothing. */
    forget: () => rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true }),
    stop: () => server.stop(),
  }
}

export async function startKillablePostgres() {
  const folder = temporaryFolder()
  const port = await freePort()
  // A killed server may lose only what it has not acknowledged, so commits wait for the log; the disk itself is safe.
  const settings = { fsync: 'off', max_connections: '100' }
  const start = () => startPostgres({ folder: join(folder, 'postgres'), port, settings })
  let server = await start()
  await server.createDatabase('onboarding')
  return {
    port,
    url: server.url('onboarding'),
    /** Its children see that it is gone and end by themselves; until then a new one refuses to start. */
    start: () =>
      waitFor('PostgreSQL started again', async () => {
        const started = await start().catch(() => undefined)
        if (started) server = started
        return Boolean(started)
      }),
    kill: () => kill(server.process),
    stop: () => server.stop(),
  }
}

const pidOf = ({ child }: Tethered): number => child.pid as number

async function kill(server: Tethered): Promise<void> {
  process.kill(pidOf(server), 'SIGKILL')
  await server.ended
}
