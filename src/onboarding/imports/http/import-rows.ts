import { z } from 'zod'
import { rowStatuses } from '../../domain/imports/import.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, listAnswer, listOf } from '../../http/schemas.ts'
import type { ImportFlows } from '../flows/import-flows.ts'
import { RowAnswer, RowsBody, rowAnswer } from './import-row-schemas.ts'

const TakenRowsAnswer = z
  .strictObject({ rows: z.array(RowAnswer).meta({ description: 'One for each row that was sent, in its order.' }) })
  .meta({
    id: 'ImportRows',
    description: 'What became of the rows so far.',
    examples: [
      {
        rows: [
          { key: '4711', status: 'waiting', integrationId: 'gmail', endUser: { id: 'user-42' }, accountId: '108432' },
        ],
      },
    ],
  })

const RowListQuery = z.strictObject({
  status: z.enum(rowStatuses).optional(),
  cursor: after(/^\d{1,18}$/),
  limit,
})

const tag = 'Imports'
const params = { importId: Id }

export const importRowRoutes = ({ flows }: { flows: Pick<ImportFlows, 'addImportRows' | 'listImportRows'> }) => [
  route({
    method: 'post',
    path: '/imports/{importId}/rows',
    operationId: 'addImportRows',
    summary: 'Add rows to an import',
    description:
      'Rows are taken in at once and worked on afterwards: the refresh token is used once to see whether it works, the connection and the function are set up, and the function is verified. Where the app replaces refresh tokens at each use, yours stops working with that, so your own system must not use it any more. A row that cannot be taken says why, and does not keep the others from being taken: an empty user id, for one, makes that row `invalid`. Only what has no `key` is no row, and refuses the request. Send a batch again after a timeout: nothing happens twice.',
    tag,
    params,
    body: RowsBody,
    answers: { 200: TakenRowsAnswer },
    failures: ['not_found', 'import_cancelled', 'tenant_suspended', 'tenant_deleted'],
    handle: async ({ caller, actor, params: { importId: id }, body: { rows, dryRun = false } }) => {
      const taken = await flows.addImportRows({ caller, actor, id, rows, dryRun })
      return { status: 200, body: { rows: taken.map(rowAnswer) } }
    },
  }),
  route({
    method: 'get',
    path: '/imports/{importId}/rows',
    operationId: 'listImportRows',
    summary: 'List the rows of an import',
    description: 'The report: what became of each row, and whose move it is, in the order in which they came.',
    tag,
    params,
    query: RowListQuery,
    answers: { 200: listOf(RowAnswer) },
    handle: async ({ caller, params: { importId: id }, query }) => {
      const page = await flows.listImportRows({ caller, id, ...query, status: query.status, cursor: query.cursor })
      return { status: 200, body: listAnswer(page, rowAnswer) }
    },
  }),
]
