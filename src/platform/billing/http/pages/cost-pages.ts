import { pipeline } from 'node:stream/promises'
import type { Request, Response, Router } from 'express'
import { csv } from '../../../../kit/http/csv.ts'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { Caller } from '../../../shared/domain/caller.ts'
import { pageErrors, type Sessions, signedIn } from '../../../shared/http/own-pages.ts'
import { toFailure } from '../../../shared/http/to-failure.ts'
import { entryFieldNames, showsUsage } from '../../domain/grouping.ts'
import type { BillingPorts, Group, Question } from '../../domain/ports.ts'
import { type CostScope, resourceIn } from '../../domain/question.ts'
import { exportCosts, findAccountScope, findWorkspaceScope, showCosts } from '../../flows/read-costs.ts'
import { unitOf } from '../locals/amounts.ts'
import { type CostPage, costPage, pageFrame } from '../locals/cost-page.ts'
import { controlsOf, inWords, queryOf } from './cost-controls.ts'

type FindScope = (ports: BillingPorts, caller: Caller, req: Request) => Promise<CostScope>

export function costPages(ports: BillingPorts, sessions: Sessions): Router {
  const { log, now } = ports
  const page = (findScope: FindScope) =>
    signedIn(sessions, async (caller, req, res) => {
      const scope = await findScope(ports, caller, req)
      const about = { caller, scope, path: req.path, controls: controlsOf(req, now()), now: now() }
      await showPage(ports, about, req, res)
    })
  const file = (findScope: FindScope) =>
    signedIn(sessions, async (caller, req, res) => {
      const query = queryOf(controlsOf(req, now()), req)
      const { question, groups } = exportCosts(ports, await findScope(ports, caller, req), query)
      res.attachment('costs.csv')
      await pipeline(costCsv(question, groups), res)
    })
  const router = exactRouter().get('/billing', signedIn(sessions, chooseAccount(ports)))
  for (const [path, findScope] of Object.entries(scopes)) {
    router.get(path, page(findScope)).get(`${path}/costs.csv`, file(findScope))
  }
  return router.use('/billing', pageErrors(log, inWords))
}

const scopes: Record<string, FindScope> = {
  '/billing/accounts/:accountId': (ports, caller, { params }) =>
    findAccountScope(ports, caller, text(params.accountId)),
  '/billing/workspaces/:workspace': (ports, caller, { params }) =>
    findWorkspaceScope(ports, caller, text(params.workspace)),
  '/billing/workspaces/:workspace/:kind/:name': (ports, caller, { params }) =>
    findWorkspaceScope(ports, caller, text(params.workspace), resourceIn(text(params.kind), text(params.name))),
}

const text = (parameter: unknown) => String(parameter)

async function showPage(ports: BillingPorts, about: CostPage, req: Request, res: Response): Promise<void> {
  try {
    const costs = await showCosts(ports, about.scope, queryOf(about.controls, req))
    res.render('platform/billing/costs', costPage(about, costs))
  } catch (error) {
    const failure = toFailure(error)
    if (failure.code !== 'input_invalid') throw error
    res.status(400).render('platform/billing/costs', pageFrame(about, inWords(failure.detail)))
  }
}

/** One line per group and bucket with usage. Decimals are exact. */
async function* costCsv({ groupBy }: Question, groups: AsyncIterable<Group>): AsyncGenerator<string> {
  const withUsage = showsUsage(groupBy)
  yield csv([['start', ...entryFieldNames, 'costUsd', ...(withUsage ? ['usage', 'unit'] : [])]])
  for await (const { fields, buckets } of groups) {
    const names = entryFieldNames.map((name) => fields[name] ?? '')
    const unit = unitOf(fields.billingDimension ?? '') ?? ''
    for (const [at, { cost, usage }] of [...buckets].sort(([a], [b]) => a - b)) {
      yield csv([[new Date(at).toISOString(), ...names, plain(cost), ...(withUsage ? [plain(usage), unit] : [])]])
    }
  }
}

const plain = (decimal: string) => (decimal.includes('.') ? decimal.replace(/\.?(?<!0)0+$/, '') : decimal)

const chooseAccount =
  ({ listAccounts }: BillingPorts) =>
  async (caller: Caller, _req: Request, res: Response): Promise<void> => {
    const accounts = await listAccounts(caller)
    const shown = accounts.map(({ id, name }) => ({ name, href: `/billing/accounts/${encodeURIComponent(id)}` }))
    if (shown.length === 1) return res.redirect(303, shown[0]?.href ?? '')
    res.render('platform/billing/accounts', { user: caller.label, accounts: shown })
  }
