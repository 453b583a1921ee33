import type { Router } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'

/** Each dependency by name, with the question whether it answers. */
export type Dependencies = Record<string, () => Promise<boolean>>

/** Probes know no host, so these are answered under any. */
export const healthAddresses = ['/healthz', '/readyz']

export function healthRoutes(dependencies: Dependencies): Router {
  return exactRouter()
    .get('/healthz', (_req, res) => void res.json({ status: 'ok' }))
    .get('/readyz', async (_req, res) => {
      const checks = await Promise.all(Object.entries(dependencies).map(async ([name, ask]) => [name, await ask()]))
      const ready = checks.every(([, answers]) => answers)
      const named = Object.fromEntries(checks.map(([name, answers]) => [name, answers ? 'ok' : 'unreachable']))
      res.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'unavailable', dependencies: named })
    })
}
