import { Router } from 'express'

/** Each part we cannot work without, by the name an operator knows it by. */
export type Readiness = Record<'redis' | 'database' | 'platform', () => Promise<boolean>>

export const health = (parts: Readiness) =>
  Router()
    .get('/healthz', (_req, res) => {
      res.json({ status: 'alive' })
    })
    .get('/readyz', async (_req, res) => {
      const answers = await Promise.all(Object.entries(parts).map(async ([name, ready]) => [name, await ready()]))
      const isReady = answers.every(([, ready]) => ready)
      const states = answers.map(([name, ready]) => [name, ready ? 'ready' : 'not answering'])
      res
        .status(isReady ? 200 : 503)
        .json({ status: isReady ? 'ready' : 'not ready', parts: Object.fromEntries(states) })
    })
