import { type Response, Router } from 'express'
import type { z } from 'zod'
import type { AuditFilter, AuditLine } from '../../../domain/support-ports.ts'
import type { ConsoleFlows } from '../../../flows/console-flows.ts'
import { auditCsv, auditCsvHead, auditLocals } from '../../locals/support/audit.ts'
import { frameLocals } from '../../locals/support/frame.ts'
import { AuditQuery, nextPage, queryOf } from './queries.ts'

type Needs = { console: Pick<ConsoleFlows, 'listAudit'> }

const limit = 50
const exportLimit = 1_000
const mostExported = 100_000

export const auditPages = ({ console }: Needs) =>
  Router()
    .get('/audit', async (req, res) => {
      const { cursor, ...asked } = AuditQuery.parse(req.query)
      const page = await console.listAudit({ ...filterOf(asked), cursor, limit })
      res.render('onboarding/support/audit', {
        ...auditLocals(page.data, asked),
        isFirstPage: cursor === undefined,
        next: nextPage('/support/audit', asked, page.nextCursor),
        exportHref: `/support/audit.csv?${queryOf(asked)}`,
        ...frameLocals(req, res, '/support/audit'),
      })
    })
    .get('/audit.csv', async (req, res) => {
      const { cursor: _none, ...asked } = AuditQuery.parse(req.query)
      const read = (cursor: string | undefined) => console.listAudit({ ...filterOf(asked), cursor, limit: exportLimit })
      res.type('text/csv').attachment('causeway-audit.csv')
      await writeLines(res, read)
    })

type Asked = Omit<z.infer<typeof AuditQuery>, 'cursor'>

/** Days are whole: the last one is meant too. */
function filterOf({ from, to, ...words }: Asked): AuditFilter {
  const { actor, tenant, action, connection, link, requestId } = words
  const end = to && new Date(new Date(to).getTime() + 86_400_000)
  const span = { from: from ? new Date(from) : undefined, to: end || undefined }
  return { actor, tenant, action, connection, link, requestId, ...span }
}

type Read = (cursor: string | undefined) => Promise<{ data: AuditLine[]; nextCursor: string | undefined }>

/** A page at a time, so that a long record is never in memory as a whole. */
async function writeLines(res: Response, read: Read): Promise<void> {
  res.write(auditCsvHead)
  let cursor: string | undefined
  for (let written = 0; written < mostExported; written += exportLimit) {
    const page = await read(cursor)
    res.write(auditCsv(page.data))
    cursor = page.nextCursor
    if (!cursor) break
  }
  res.end()
}
