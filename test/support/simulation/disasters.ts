// At most one disaster per schedule: a store loses its data or its newest writes, or does not answer for a while.
import { memoryMarks } from '../../../src/onboarding/adapters/memory/marks.ts'
import type { PendingAuthorizations } from '../../../src/onboarding/domain/ports/linking.ts'
import type { Marks } from '../../../src/onboarding/domain/ports/shared.ts'
import { memoryPending } from '../../../src/onboarding/linking/adapters/memory-pending-authorizations.ts'
import type { MemoryWorld } from '../memory/world.ts'
import type { Scheduler } from './scheduler.ts'

const kinds = [
  'redis is emptied',
  'redis is away',
  'ledger loses writes',
  'ledger is away',
  'platform is away',
] as const
const share = 0.5

/** What a disaster right after it hurts most. */
const critical = [
  'provider.exchange',
  'links.move',
  'marks.claim',
  'platform.createConnection',
  'platform.replaceConnection',
]

export type Disasters = ReturnType<typeof planDisaster>

export function planDisaster(scheduler: Scheduler, world: MemoryWorld) {
  let redis: { pending: Pick<PendingAuthorizations, 'put' | 'claim'>; marks: Marks } = world
  const kind = scheduler.chance(share) ? scheduler.pick(kinds) : undefined
  const awaySeconds = scheduler.between(5, 240)
  let lagLeft = kind === 'ledger loses writes' ? scheduler.between(1, 6) : 0
  const after = scheduler.chance(0.5) ? scheduler.pick(critical) : undefined
  let callsLeft = after ? scheduler.between(1, 4) : scheduler.between(1, 150)
  let awayUntil = new Date(0)
  let restore = () => {}
  const strike = () => {
    if (kind) scheduler.note(kind)
    if (kind === 'redis is emptied') redis = { pending: memoryPending(world.now), marks: memoryMarks(world.now) }
    else if (kind === 'ledger loses writes') {
      restore()
      plan.hasLostWrites = true
    } else if (kind) awayUntil = new Date(world.now().getTime() + awaySeconds * 1_000)
  }
  const plan = {
    /** An asynchronous standby was promoted. */
    hasLostWrites: false,
    isOfRedis: kind?.startsWith('redis') ?? false,
    pending: {
      put: (...args) => redis.pending.put(...args),
      claim: (...args) => redis.pending.claim(...args),
      recall: () => undefined,
    },
    marks: {
      claim: (...args) => redis.marks.claim(...args),
      release: (...args) => redis.marks.release(...args),
    },
    isAway: (store: 'redis' | 'ledger' | 'platform') => kind === `${store} is away` && world.now() < awayUntil,
    onCall(call: string): void {
      if (callsLeft === 0) lagLeft--
      else if (after === undefined || after === call) {
        callsLeft--
        if (callsLeft === 0 && lagLeft > 0) restore = rememberTables(world.tables)
      }
      if (callsLeft === 0 && lagLeft === 0) strike()
    },
  } satisfies { pending: PendingAuthorizations; marks: Marks; [more: string]: unknown }
  return plan
}

/** Rows are immutable, so their containers are enough. */
function rememberTables(tables: MemoryWorld['tables']): () => void {
  const restores = Object.values(tables).map((table: Map<string, unknown> | unknown[]) => {
    if (Array.isArray(table)) {
      const rows = [...table]
      return () => void table.splice(0, table.length, ...rows)
    }
    const rows = [...table]
    return () => {
      table.clear()
      for (const [id, row] of rows) table.set(id, row)
    }
  })
  return () => {
    for (const each of restores) each()
  }
}
