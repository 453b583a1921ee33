import type { Router } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { type ReadinessLog, readinessAnswers } from '../../../kit/http/readiness-answer.ts'
import { within } from '../../../kit/process/background-work.ts'

/** Each dependency by name, with the question whether it answers. */
export type Dependencies = Record<string, () => Promise<boolean>>

/** Probes know no host, so these are answered under any. */
export const healthAddresses = ['/healthz', '/readyz']

/**
 * Without Redis every process counts requests alone, and agents are refused the memory of their threads. All else is
 * served, so no balancer should turn callers away.
 */
const dispensable = ['redis']

/** A dependency that hangs is as good as away; who asks must not hang with it. */
const patienceMs = 2_000

export function healthRoutes(dependencies: Dependencies, log: ReadinessLog): Router {
  const answer = readinessAnswers(log)
  return exactRouter()
    .get('/healthz', (_req, res) => void res.json({ status: 'ok' }))
    .get('/readyz', async (_req, res) => {
      const asked = Object.entries(dependencies).map(async ([name, ask]) => ({
        name,
        answers: (await within(ask(), patienceMs)) ?? false,
      }))
      const checks = await Promise.all(asked)
      const missing = checks.filter(({ name, answers }) => !answers && !dispensable.includes(name))
      const named = missing.map(({ name }) => `${name}: unreachable`)
      answer(res, named, {
        status: missing.length === 0 ? 'ok' : 'unavailable',
        dependencies: Object.fromEntries(checks.map(({ name, answers }) => [name, answers ? 'ok' : 'unreachable'])),
      })
    })
}
