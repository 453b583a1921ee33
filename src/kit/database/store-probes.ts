import type pg from 'pg'
import { answers, type RedisClient } from './redis.ts'
import { PrimaryReplaced } from './servers.ts'

/**
 * - `full`: Redis rejects writes because it has reached `maxmemory`.
 * - `replaced`: PostgreSQL was the primary before the last failover.
 */
export type StoreState = 'ready' | 'read-only' | 'full' | 'replaced' | 'not answering'

export type StoreProbe = () => Promise<StoreState>

const writeEveryMs = 1_000

/** Slower than a readiness probe waits. After a timeout PostgreSQL reports success for an unreplicated commit. */
const maxProbeMs = 2_000

const stateOf = (error: unknown): StoreState => (error instanceof PrimaryReplaced ? 'replaced' : 'not answering')

type Questions = Record<'read' | 'write', () => Promise<StoreState>>

/** Reads if the latest write is recent. Callers share a probe: a hanging store must not use up the connections. */
function storeProbe({ read, write }: Questions): StoreProbe {
  let writtenAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<StoreState> | undefined
  const ask = async (): Promise<StoreState> => {
    const startedAt = performance.now()
    const isDue = startedAt - writtenAt >= writeEveryMs
    const state = await (isDue ? write() : read()).catch(stateOf)
    const endedAt = performance.now()
    if (endedAt - startedAt > maxProbeMs) return 'not answering'
    if (isDue && state === 'ready') writtenAt = endedAt
    return state
  }
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

// Writes a record to the WAL and waits for its commit, as any change does, but leaves no row behind. The function
// itself does not check whether the session is read-only.
const writeStatement = `select case when current_setting('transaction_read_only') = 'on' then 'read-only'
  when pg_logical_emit_message(true, 'causeway', '') is not null then 'ready' end as state`

export const databaseProbe = (pool: pg.Pool): StoreProbe =>
  storeProbe({
    read: async () => {
      await pool.query('select 1')
      return 'ready'
    },
    write: async () => (await pool.query<{ state: StoreState }>(writeStatement)).rows[0]?.state ?? 'not answering',
  })

const probeKey = 'causeway:probe'

export function redisProbe(client: RedisClient): StoreProbe {
  const read = async (): Promise<StoreState> => ((await answers(client)) ? 'ready' : 'not answering')
  return storeProbe({
    read,
    write: async () => {
      const state = await read()
      return state === 'ready' ? client.set(probeKey, '', 'EX', 60).then(() => state, refusedWrite) : state
    },
  })
}

function refusedWrite({ message }: Error): StoreState {
  if (message.startsWith('OOM')) return 'full'
  return /^(READONLY|MISCONF|NOREPLICAS)/.test(message) ? 'read-only' : 'not answering'
}
