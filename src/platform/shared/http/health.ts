import type { Router } from 'express'
import type { StoreProbe, StoreState } from '../../../kit/database/store-probes.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { type ReadinessLog, readinessAnswers } from '../../../kit/http/readiness-answer.ts'
import { within } from '../../../kit/process/background-work.ts'
import type { Engine } from '../domain/engine.ts'

export type Dependencies = Record<string, StoreProbe>

type EngineProbe = Pick<Engine, 'kind' | 'problem'>

/** Answered for any host, because probes send none. */
export const healthAddresses = ['/healthz', '/readyz']

/** Without Redis, processes count requests separately and agent threads are rejected. All else works. */
const dispensable = ['redis']

const patienceMs = 2_000

/** With a read-only database functions still answer, and usage stays on disk. */
const isServing = (name: string, state: StoreState): boolean =>
  state === 'ready' || state === 'read-only' || dispensable.includes(name)

const wordFor = (state: StoreState): string => {
  if (state === 'ready') return 'ok'
  return state === 'not answering' ? 'unreachable' : state
}

export function healthRoutes(dependencies: Dependencies, engine: EngineProbe, log: ReadinessLog): Router {
  const answer = readinessAnswers(log)
  return exactRouter()
    .get('/healthz', (_req, res) => void res.json({ status: 'ok' }))
    .get('/readyz', async (_req, res) => {
      const asked = Object.entries(dependencies).map(async ([name, ask]) => ({
        name,
        state: (await within(ask(), patienceMs)) ?? 'not answering',
      }))
      const [status, ...checks] = await Promise.all([statusOf(engine), ...asked])
      const missing = checks.filter(({ name, state }) => !isServing(name, state))
      const named = missing.map(({ name, state }) => `${name}: ${wordFor(state)}`)
      answer(res, named, {
        status: missing.length === 0 ? 'ok' : 'unavailable',
        dependencies: Object.fromEntries(checks.map(({ name, state }) => [name, wordFor(state)])),
        engine: { kind: engine.kind, status },
      })
    })
}

/** Without an engine only commands are rejected, so the platform stays ready. */
async function statusOf(engine: EngineProbe): Promise<string> {
  const asked = engine.problem().then(
    (problem) => (problem === undefined ? 'ok' : 'unavailable'),
    () => 'unreachable',
  )
  return (await within(asked, patienceMs)) ?? 'unreachable'
}
