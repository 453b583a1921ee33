import { exactRouter } from '../../kit/http/exact-routing.ts'
import { within } from '../../kit/process/background-work.ts'
import type { PartReport } from '../domain/platform-report.ts'

/** Each part by the name an operator knows it by. */
export type Readiness = Record<'redis' | 'database' | 'platform', () => Promise<boolean | PartReport>>

/** Without the platform links still start and their grants wait in escrow, so no balancer should turn users away. */
const dispensable = ['platform']

/** A part that hangs is as good as away; who asks must not hang with it. */
const patienceMs = 2_000

/** Probes know no host, so these are answered under any. */
export const healthAddresses = ['/healthz', '/readyz']

export async function readParts(parts: Readiness, waitMs: number): Promise<Array<PartReport & { name: string }>> {
  return Promise.all(
    Object.entries(parts).map(async ([name, ask]) => {
      const answer = (await within(ask(), waitMs)) ?? false
      if (typeof answer === 'object') return { name, ...answer }
      return { name, ready: answer, state: answer ? 'ready' : 'not answering', warnings: [] }
    }),
  )
}

export const health = (parts: Readiness) =>
  exactRouter()
    .get('/healthz', (_req, res) => {
      res.json({ status: 'alive' })
    })
    .get('/readyz', async (_req, res) => {
      const reports = await readParts(parts, patienceMs)
      const isReady = reports.every(({ name, ready }) => ready || dispensable.includes(name))
      const states = reports.map(({ name, state }) => [name, state])
      const warnings = reports.flatMap((report) => report.warnings)
      res.status(isReady ? 200 : 503).json({
        status: isReady ? 'ready' : 'not ready',
        parts: Object.fromEntries(states),
        ...(warnings.length > 0 && { warnings }),
      })
    })
