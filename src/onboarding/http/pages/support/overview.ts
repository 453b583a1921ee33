import { Router } from 'express'
import { within } from '../../../../kit/background-work.ts'
import type { ConsoleFlows } from '../../../flows/console-flows.ts'
import { sessionOf } from '../../console-guards.ts'
import type { Readiness } from '../../health.ts'
import { accountLocals } from '../../locals/support/account.ts'
import { frameLocals } from '../../locals/support/frame.ts'
import { overviewLocals, type PartState } from '../../locals/support/overview.ts'

type Needs = { console: Pick<ConsoleFlows, 'readOverview'>; readiness: Readiness }

export const overviewPages = ({ console, readiness }: Needs) =>
  Router()
    .get('/', async (req, res) => {
      const [overview, parts] = await Promise.all([console.readOverview(), statesOf(readiness)])
      res.render('onboarding/support/overview', {
        ...overviewLocals(overview, parts),
        ...frameLocals(req, res, '/support'),
      })
    })
    .get('/account', (req, res) => {
      const locals = accountLocals(sessionOf(req), new Date())
      res.render('onboarding/support/account', { ...locals, ...frameLocals(req, res, undefined) })
    })

/** A part that hangs counts as away, and must not hold the page up. */
async function statesOf(readiness: Readiness): Promise<PartState> {
  const asked = Object.entries(readiness).map(async ([name, ready]) => [name, (await within(ready(), 500)) ?? false])
  return Object.fromEntries(await Promise.all(asked))
}
