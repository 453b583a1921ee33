import { Router } from 'express'
import type { Readiness } from '../../../http/health.ts'
import type { ConsoleFlows } from '../../flows/console-flows.ts'
import { sessionOf } from '../console-guards.ts'
import { accountLocals } from '../locals/account.ts'
import { frameLocals } from '../locals/frame.ts'
import { overviewLocals } from '../locals/overview.ts'
import { readServiceStates } from './store-outage.ts'

type Needs = { console: Pick<ConsoleFlows, 'readOverview'>; readiness: Readiness }

export const overviewPages = ({ console, readiness }: Needs) =>
  Router()
    .get('/', async (req, res) => {
      const [overview, services] = await Promise.all([console.readOverview(), readServiceStates(readiness)])
      res.render('onboarding/support/overview', {
        ...overviewLocals(overview, services),
        ...frameLocals(req, res, '/support'),
      })
    })
    .get('/account', (req, res) => {
      const locals = accountLocals(sessionOf(req), new Date())
      res.render('onboarding/support/account', { ...locals, ...frameLocals(req, res, undefined) })
    })
