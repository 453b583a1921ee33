import { exactRouter } from '../../kit/http/exact-routing.ts'
import { within } from '../../kit/process/background-work.ts'

/** Each part by the name an operator knows it by. */
export type Readiness = Record<'redis' | 'database' | 'platform', () => Promise<boolean>>

/** Without the platform links still start and their grants wait in escrow, so no balancer should turn users away. */
const dispensable = ['platform']

/** A part that hangs is as good as away; who asks must not hang with it. */
const patienceMs = 2_000

/** Probes know no host, so these are answered under any. */
export const healthAddresses = ['/healthz', '/readyz']

export const health = (parts: Readiness) =>
  exactRouter()
    .get('/healthz', (_req, res) => {
      res.json({ status: 'alive' })
    })
    .get('/readyz', async (_req, res) => {
      const asked = Object.entries(parts).map(async ([name, ready]) => ({
        name,
        ready: (await within(ready(), patienceMs)) ?? false,
      }))
      const answers = await Promise.all(asked)
      const isReady = answers.every(({ name, ready }) => ready || dispensable.includes(name))
      const states = answers.map(({ name, ready }) => [name, ready ? 'ready' : 'not answering'])
      res
        .status(isReady ? 200 : 503)
        .json({ status: isReady ? 'ready' : 'not ready', parts: Object.fromEntries(states) })
    })
