import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { openRedis } from '../../src/kit/database/redis.ts'
import { startPostgres } from '../../src/kit/embedded/postgres.ts'
import { startTestRedis, temporaryFolder } from '../support/processes/stores.ts'

test('a private PostgreSQL keeps its data over a restart, ends on stop, and has its folder for itself', async () => {
  const folder = join(temporaryFolder(), 'postgres')
  const first = await startPostgres({ folder })
  await expect(startPostgres({ folder })).rejects.toThrow('the data folder is in use')
  await first.createDatabase('kept')
  await query(first.url('kept'), 'create table fact as select 42 as answer')
  await first.stop()

  const second = await startPostgres({ folder })
  const rows = await query(second.url('kept'), 'select answer from fact')
  await second.stop()

  expect(rows).toEqual([{ answer: 42 }])
  await expect(query(second.url('kept'), 'select 1')).rejects.toThrow()
})

test('a private Redis asks for its password and keeps its data over a restart', async () => {
  const folder = temporaryFolder()
  const first = await startTestRedis({ folder })
  await withRedis(first.url, (redis) => redis.set('key', 'kept'))
  await first.stop()

  const second = await startTestRedis({ folder })
  const value = await withRedis(second.url, (redis) => redis.get('key'))
  const stranger = withRedis(second.url.replace(/:[^:@]*@/, ''), (redis) => redis.get('key'))

  await expect(stranger).rejects.toThrow(/NOAUTH|closed|writeable/)
  expect(value).toBe('kept')
  await second.stop()
})

test('a second Redis on the same folder fails with one line', async () => {
  const folder = temporaryFolder()
  const first = await startTestRedis({ folder })

  await expect(startTestRedis({ folder })).rejects.toThrow('the data folder is in use')

  await first.stop()
})

test('a second Redis also fails if the first is slow to answer', async () => {
  const folder = temporaryFolder()
  const first = await startTestRedis({ folder })
  const pid = first.process.child.pid as number
  process.kill(pid, 'SIGSTOP')

  const second = startTestRedis({ folder })
  setTimeout(() => process.kill(pid, 'SIGCONT'), 1_500)

  await expect(second).rejects.toThrow('the data folder is in use')
  await first.stop()
})

test('a child server ends when its parent process is killed', async () => {
  const script = `
    import { startChildServer } from './dist-modules/kit/embedded/child-server.js'
    const { child } = startChildServer('/bin/sh', ['-c', 'trap "exit 0" INT; echo $$; while :; do sleep 0.05; done'])
    child.stdout.on('data', (line) => process.stdout.write(line))
    setInterval(() => {}, 1000)`
  const args = ['--input-type=module', '--eval', script]
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(parent.stdout, 'data')
  const server = Number(String(line).trim())

  parent.kill('SIGKILL')

  await vi.waitFor(() => expect(isAlive(server)).toBe(false), { timeout: 30_000 })
})

const isAlive = (pid: number) => {
  try {
    execFileSync('kill', ['-0', String(pid)], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

async function withRedis<T>(url: string, use: (redis: ReturnType<typeof openRedis>) => Promise<T>): Promise<T> {
  const redis = openRedis(url)
  await new Promise((resolve) => redis.once('ready', resolve).once('close', resolve))
  try {
    return await use(redis)
  } finally {
    redis.disconnect()
  }
}
