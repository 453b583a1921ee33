// The stores of a run and their counters: CPU time of their processes, and statistics of PostgreSQL and Redis.
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { startPostgres } from '../../src/kit/embedded/postgres.ts'
import { startRedis } from '../../src/kit/embedded/redis.ts'
import { cpuSeconds, cpuSecondsOfTree } from '../support/measured-process.ts'

/** Counters only grow. The cost of a round is the difference. */
type StoreCounts = {
  postgresCpu: number
  redisCpu: number
  walBytes: number
  /** Write transactions. */
  commits: number
  redisCommands: number
  redisBytes: number
}

export async function startStores(folder: string, { statements }: { statements: boolean }) {
  const redis = await startRedis({ folder: join(folder, 'redis') })
  const settings = statements ? { shared_preload_libraries: 'pg_stat_statements' } : {}
  // A checkpoint in one round would dominate its WAL volume.
  const steady = { max_wal_size: '8GB', checkpoint_timeout: '1h' }
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), settings: { ...steady, ...settings } })
  await postgres.createDatabase('onboarding')
  const asking = new pg.Client({ connectionString: postgres.url('onboarding') })
  await asking.connect()
  const redisClient = new Redis(redis.url)
  const pids = { postgres: postgres.process.child.pid as number, redis: redis.process.child.pid as number }

  return {
    redis,
    postgres,
    asking,
    async counts(): Promise<StoreCounts> {
      const { rows } = await asking.query(written)
      const info = await redisClient.info('stats')
      const told = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0)
      return {
        postgresCpu: cpuSecondsOfTree(pids.postgres),
        redisCpu: cpuSeconds(pids.redis),
        walBytes: Number(rows[0].wal),
        commits: Number(rows[0].commits),
        redisCommands: told('total_commands_processed'),
        redisBytes: told('total_net_input_bytes'),
      }
    },
    async stop() {
      redisClient.disconnect()
      await asking.end()
      await Promise.all([redis.stop(), postgres.stop()])
    },
  }
}

/** Transactions get a number when they write. The next number is exact, while statistics are delayed. */
const written = `select pg_current_wal_insert_lsn() - '0/0' as wal,
  pg_snapshot_xmax(pg_current_snapshot())::text as commits`

export function countsBetween(before: StoreCounts, after: StoreCounts): StoreCounts {
  const names = Object.keys(before) as Array<keyof StoreCounts>
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as StoreCounts
}

export async function countStatements(asking: pg.Client): Promise<void> {
  await asking.query('create extension pg_stat_statements')
  await asking.query('select pg_stat_statements_reset()')
}

/** The most expensive statements, for `--statements`. */
export async function costliestStatements(asking: pg.Client, links: number) {
  const { rows } = await asking.query(
    `select left(regexp_replace(query, '\\s+', ' ', 'g'), 60) as statement, round(calls / $1::numeric, 2) as "per link",
       round((total_exec_time + total_plan_time)::numeric * 1000 / $1, 1) as "µs/link",
       round(wal_bytes / $1, 0) as "WAL/link"
     from pg_stat_statements order by total_exec_time + total_plan_time desc limit 12`,
    [links],
  )
  return rows
}
