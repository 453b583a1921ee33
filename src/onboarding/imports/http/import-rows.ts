import { z } from 'zod'
import { rowStatuses } from '../../domain/imports/import.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, listAnswer, listOf } from '../../http/schemas.ts'
import { addImportRows } from '../flows/add-import-rows.ts'
import { listImportRows } from '../flows/manage-imports.ts'
import { RowAnswer, RowsBody, rowAnswer } from './import-row-schemas.ts'

const TakenRowsAnswer = z
  .strictObject({ rows: z.array(RowAnswer).meta({ description: 'One per row, in the order of the request.' }) })
  .meta({
    id: 'ImportRows',
    description: 'The state of the rows.',
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

export const importRowRoutes = [
  route({
    method: 'post',
    path: '/imports/{importId}/rows',
    operationId: 'addImportRows',
    client: 'imports.addRows',
    clientNote: 'Max 500 rows per call. Rows are idempotent by `key`.',
    summary: 'Add rows to an import',
    description:
      'Rows are stored immediately and processed in the background: the refresh token is tested, the connection and the function are set up, and the function is verified. If the app rotates refresh tokens, your token stops working then, so your own system must no longer use it. Invalid rows are reported individually, with the reason, and do not affect the others. A row without a `key` rejects the whole request. The request is idempotent: send a batch again after a timeout.',
    tag,
    params,
    body: RowsBody,
    answers: { 200: TakenRowsAnswer },
    failures: ['not_found', 'import_cancelled', 'tenant_suspended', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, params: { importId: id }, body: { rows, dryRun = false } }) => {
      const taken = await addImportRows(ports, { caller, actor, id, rows, dryRun })
      return { status: 200, body: { rows: taken.map(rowAnswer) } }
    },
  }),
  route({
    method: 'get',
    path: '/imports/{importId}/rows',
    operationId: 'listImportRows',
    client: 'imports.listRows',
    clientNote: 'Lists rows with their results.',
    summary: 'List the rows of an import',
    description: 'The report: the state of each row and who must act, in the order of arrival.',
    tag,
    params,
    query: RowListQuery,
    answers: { 200: listOf(RowAnswer) },
    handle: async ({ ports, caller, params: { importId: id }, query }) => {
      const page = await listImportRows(ports, { caller, id, ...query, status: query.status, cursor: query.cursor })
      return { status: 200, body: listAnswer(page, rowAnswer) }
    },
  }),
]
