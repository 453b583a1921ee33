import { z } from 'zod'
import { explain } from '../../domain/cause.ts'
import { type Import, type ImportCounts, importStatuses, rowStatuses } from '../../domain/imports/import.ts'
import { explainProblem, type RowProblem, rowProblems } from '../../domain/imports/row-problem.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, listAnswer, listOf, shown, TenantId, time } from '../../http/schemas.ts'
import type { ImportProgress } from '../flows/manage-imports.ts'
import { cancelImport, createImport, listImports, readImport } from '../flows/manage-imports.ts'
import { WhoseMove } from './import-row-schemas.ts'

const ImportBody = z
  .strictObject({
    tenantId: TenantId,
    name: shown(200).optional().meta({ description: 'Your name for the import.' }),
  })
  .meta({
    id: 'ImportRequest',
    description: 'The tenant whose grants are imported.',
    examples: [{ tenantId: 'acme', name: 'move from our own connectors' }],
  })

const exampleImport = {
  id: 'imp_06gxz1d5p9w3n7r2s6v0x4y8z1',
  tenantId: 'acme',
  name: 'move from our own connectors',
  createdAt: '2026-11-15T10:00:00.000Z',
}

const ImportAnswer = z
  .strictObject({
    id: z.string(),
    tenantId: z.string(),
    name: z.string().optional().meta({ description: 'Your name for the import.' }),
    createdAt: time,
    cancelledAt: time.optional().meta({ description: 'No rows were started after this time.' }),
  })
  .meta({
    id: 'Import',
    description: 'Existing grants of a tenant, added in rows.',
    examples: [exampleImport],
  })

const countOf = Object.fromEntries(rowStatuses.map((status) => [status, z.int()])) as Record<
  (typeof rowStatuses)[number],
  z.ZodInt
>

const ImportProgressAnswer = ImportAnswer.extend({
  status: z.enum(importStatuses).meta({
    description:
      '`empty`: no rows were added yet. `pending` continues automatically. `paused`: too many rows need attention, so the others wait for support. `done`: all rows are processed; more can be added.',
  }),
  counts: z.strictObject(countOf).meta({ description: 'The number of rows by status.' }),
  reasons: z
    .array(
      z.strictObject({
        code: z.string().meta({ description: 'A cause code or a row problem code.' }),
        whoseMove: WhoseMove,
        title: z.string(),
        rows: z.int().meta({ description: 'How many rows failed, need attention or are invalid for this reason.' }),
      }),
    )
    .meta({ description: 'Why rows did not become connections. Most frequent reason first.' }),
}).meta({
  id: 'ImportProgress',
  description: 'An import and its progress.',
  examples: [
    {
      ...exampleImport,
      status: 'pending',
      counts: { waiting: 61_200, pending: 32, linked: 38_760, failed: 8, needs_attention: 0, invalid: 0, cancelled: 0 },
      reasons: [{ code: 'grant_revoked', whoseMove: 'user', title: 'Access was revoked', rows: 8 }],
    },
  ],
})

export const importAnswer = ({ id, tenant, name, createdAt, cancelledAt }: Import): z.input<typeof ImportAnswer> => ({
  id,
  tenantId: tenant,
  ...(name !== undefined && { name }),
  createdAt: createdAt.toISOString(),
  ...(cancelledAt && { cancelledAt: cancelledAt.toISOString() }),
})

export const progressAnswer = (progress: ImportProgress): z.input<typeof ImportProgressAnswer> => ({
  ...importAnswer(progress.import),
  status: progress.status,
  counts: progress.counts.byStatus,
  reasons: reasonsOf(progress.counts),
})

const isProblem = (code: string): code is RowProblem => (rowProblems as readonly string[]).includes(code)

const reasonsOf = ({ byCause }: ImportCounts) =>
  (Object.entries(byCause) as Array<[keyof typeof byCause, number]>)
    .map(([code, rows]) => {
      const { whoseMove, title } = isProblem(code) ? explainProblem(code) : explain(code)
      return { code, whoseMove, title, rows }
    })
    .sort((a, b) => b.rows - a.rows)

const tag = 'Imports'
const params = { importId: Id }

export const importRoutes = [
  route({
    method: 'post',
    path: '/imports',
    operationId: 'createImport',
    client: 'imports.create',
    summary: 'Create an import',
    description:
      'Imports grants that a tenant obtained earlier with its own OAuth client. Add rows and read the state of each. Users do not need to do anything. A tenant key can import only for its own tenant.',
    tag,
    body: ImportBody,
    answers: { 201: ImportProgressAnswer },
    failures: ['not_found', 'tenant_suspended', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, claim, body: { tenantId: tenant, name } }) => {
      return { status: 201, body: progressAnswer(await createImport(ports, { caller, actor, tenant, name, claim })) }
    },
  }),
  route({
    method: 'get',
    path: '/imports',
    operationId: 'listImports',
    client: 'imports.list',
    summary: 'List imports',
    description: 'Newest first. A tenant key sees only its own imports.',
    tag,
    query: z.strictObject({ tenantId: TenantId.optional(), cursor: after(/^imp_[\w-]{1,100}$/), limit }),
    answers: { 200: listOf(ImportAnswer) },
    handle: async ({ ports, caller, query: { tenantId: tenant, cursor, limit } }) => {
      return {
        status: 200,
        body: listAnswer(await listImports(ports, { caller, tenant, cursor, limit }), importAnswer),
      }
    },
  }),
  route({
    method: 'get',
    path: '/imports/{importId}',
    operationId: 'getImport',
    client: 'imports.get',
    summary: 'Get an import',
    description: 'Returns the number of rows by status, and why rows stopped. Poll at most every few seconds.',
    tag,
    params,
    answers: { 200: ImportProgressAnswer },
    handle: async ({ ports, caller, params: { importId: id } }) => {
      return { status: 200, body: progressAnswer(await readImport(ports, { caller, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/imports/{importId}/cancel',
    operationId: 'cancelImport',
    client: 'imports.cancel',
    summary: 'Cancel an import',
    description:
      'Waiting rows are not started, and their refresh tokens are deleted. Started rows continue. Idempotent.',
    tag,
    params,
    answers: { 200: ImportProgressAnswer },
    handle: async ({ ports, caller, actor, params: { importId: id } }) => {
      return { status: 200, body: progressAnswer(await cancelImport(ports, { caller, actor, id })) }
    },
  }),
]
