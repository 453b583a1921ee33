import { z } from 'zod'
import { explain } from '../../domain/cause.ts'
import { type Import, type ImportCounts, importStatuses, rowStatuses } from '../../domain/imports/import.ts'
import { explainProblem, type RowProblem, rowProblems } from '../../domain/imports/row-problem.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, listAnswer, listOf, shown, TenantId, time } from '../../http/schemas.ts'
import type { ImportFlows } from '../flows/import-flows.ts'
import type { ImportProgress } from '../flows/manage-imports.ts'
import { WhoseMove } from './import-row-schemas.ts'

const ImportBody = z
  .strictObject({
    tenantId: TenantId,
    name: shown(200).optional().meta({ description: 'What you call it, to find it again.' }),
  })
  .meta({
    id: 'ImportRequest',
    description: 'Whose grants are imported.',
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
    name: z.string().optional().meta({ description: 'What you call it.' }),
    createdAt: time,
    cancelledAt: time.optional().meta({ description: 'From then on no row was started any more.' }),
  })
  .meta({
    id: 'Import',
    description: 'Grants that a tenant already has, brought here in rows.',
    examples: [exampleImport],
  })

const countOf = Object.fromEntries(rowStatuses.map((status) => [status, z.int()])) as Record<
  (typeof rowStatuses)[number],
  z.ZodInt
>

const ImportProgressAnswer = ImportAnswer.extend({
  status: z.enum(importStatuses).meta({
    description:
      '`empty`: no row was added yet. `pending` continues without you. `paused`: so many rows need attention that the others wait until support has looked. `done`: no row is left to do, and more can be added.',
  }),
  counts: z.strictObject(countOf).meta({ description: 'How many rows are where.' }),
  reasons: z
    .array(
      z.strictObject({
        code: z.string().meta({ description: 'The code of a cause, or of what is wrong with a row.' }),
        whoseMove: WhoseMove,
        title: z.string(),
        rows: z.int().meta({ description: 'How many rows failed, need attention or are not valid for it.' }),
      }),
    )
    .meta({ description: 'Why rows did not become connections, the most frequent reason first.' }),
}).meta({
  id: 'ImportProgress',
  description: 'An import, and how far it has come.',
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

type Needs = {
  flows: Pick<ImportFlows, 'createImport' | 'readImport' | 'listImports' | 'cancelImport'>
}

const tag = 'Imports'
const params = { importId: Id }

export const importRoutes = ({ flows }: Needs) => [
  route({
    method: 'post',
    path: '/imports',
    operationId: 'createImport',
    summary: 'Create an import',
    description:
      'For grants that a tenant got with its own OAuth client before it came here. Add rows to it, and read what became of each. Nothing is asked of the users. A key of a tenant imports for that tenant only.',
    tag,
    body: ImportBody,
    answers: { 201: ImportProgressAnswer },
    failures: ['not_found', 'tenant_suspended', 'tenant_deleted'],
    handle: async ({ caller, actor, claim, body: { tenantId: tenant, name } }) => {
      return { status: 201, body: progressAnswer(await flows.createImport({ caller, actor, tenant, name, claim })) }
    },
  }),
  route({
    method: 'get',
    path: '/imports',
    operationId: 'listImports',
    summary: 'List imports',
    description: 'Newest first. A key of a tenant sees its own imports only.',
    tag,
    query: z.strictObject({ tenantId: TenantId.optional(), cursor: after(/^imp_[\w-]{1,100}$/), limit }),
    answers: { 200: listOf(ImportAnswer) },
    handle: async ({ caller, query: { tenantId: tenant, cursor, limit } }) => {
      return { status: 200, body: listAnswer(await flows.listImports({ caller, tenant, cursor, limit }), importAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/imports/{importId}',
    operationId: 'getImport',
    summary: 'Get an import',
    description: 'How many rows are where, and why those that stopped did. Poll it every few seconds at most.',
    tag,
    params,
    answers: { 200: ImportProgressAnswer },
    handle: async ({ caller, params: { importId: id } }) => {
      return { status: 200, body: progressAnswer(await flows.readImport({ caller, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/imports/{importId}/cancel',
    operationId: 'cancelImport',
    summary: 'Cancel an import',
    description:
      'Rows that wait are not started any more, and their refresh tokens are deleted here. Rows that were started continue. Asking again changes nothing.',
    tag,
    params,
    answers: { 200: ImportProgressAnswer },
    handle: async ({ caller, actor, params: { importId: id } }) => {
      return { status: 200, body: progressAnswer(await flows.cancelImport({ caller, actor, id })) }
    },
  }),
]
