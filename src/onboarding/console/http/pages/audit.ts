import { pipeline } from 'node:stream/promises'
import type { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { AuditFilter, AuditLine } from '../../../domain/ports/support-ledger.ts'
import type { ConsoleFlows } from '../../flows/console-flows.ts'
import { supportActor } from '../console-guards.ts'
import { auditCsv, auditCsvHead, auditLocals } from '../locals/audit.ts'
import { frameLocals } from '../locals/frame.ts'
import { AuditQuery, pagerLocals, queryOf, spanOf } from './queries.ts'

type Needs = { console: Pick<ConsoleFlows, 'listAudit' | 'exportAudit'> }

const limit = 50

export const auditPages = ({ console }: Needs) =>
  exactRouter()
    .get('/audit', async (req, res) => {
      const { cursor, ...params } = AuditQuery.parse(req.query)
      const page = await console.listAudit({ ...filterOf(params), cursor, limit })
      res.render('onboarding/support/audit', {
        ...auditLocals(page.data, params),
        ...pagerLocals('/support/audit', { ...params, cursor }, page.nextCursor),
        exportHref: `/support/audit.csv?${queryOf(params)}`,
        ...frameLocals(req, res, '/support/audit'),
      })
    })
    .get('/audit.csv', async (req, res) => {
      const { cursor: _none, ...params } = AuditQuery.parse(req.query)
      const pages = await console.exportAudit({ actor: supportActor(req, res), filter: filterOf(params) })
      res.type('text/csv').attachment('causeway-audit.csv')
      // As fast as it is read, and no further once whoever params has hung up.
      await pipeline(linesOf(pages), res)
    })

type AuditParams = Omit<z.infer<typeof AuditQuery>, 'cursor'>

function filterOf({ from, to, ...words }: AuditParams): AuditFilter {
  const { actor, tenant, action, connection, link, requestId } = words
  return { actor, tenant, action, connection, link, requestId, ...spanOf({ from, to }) }
}

async function* linesOf(pages: AsyncIterable<AuditLine[]>): AsyncGenerator<string> {
  yield auditCsvHead
  for await (const page of pages) yield auditCsv(page)
}
