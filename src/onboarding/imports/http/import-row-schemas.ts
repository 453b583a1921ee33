import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import { explain } from '../../domain/cause.ts'
import {
  type ImportRow,
  maxRowsPerRequest,
  type RowDraft,
  rowStatuses,
  rowStatusOf,
} from '../../domain/imports/import.ts'
import { explainProblem, rowProblems } from '../../domain/imports/row-problem.ts'
import type { InputError } from '../../domain/input-error.ts'
import { Alias, LabelsBody } from '../../http/connection-names.ts'
import { inputErrors } from '../../http/input-errors.ts'
import { plainWords } from '../../http/input-words.ts'
import { CauseAnswer, EndUser, endUserAnswer, IntegrationId, shown, UserEmail } from '../../http/schemas.ts'

export const WhoseMove = CauseAnswer.shape.whoseMove

export const RowRequest = z
  .strictObject({
    key: shown(200).meta({
      description:
        'Your key for this row, such as the ID of your record. Keys are idempotent within an import: sending a row again is a no-op. The key appears in the report, so do not use a person’s name or email address.',
    }),
    integrationId: IntegrationId,
    endUser: z
      .strictObject({
        id: shown(200).meta({ description: 'Your ID for the user.' }),
        displayName: shown(200).optional(),
        email: UserEmail.optional(),
      })
      .meta({ description: 'The owner of the grant.' }),
    accountId: shown(500).optional().meta({
      description:
        'The ID of the account at the third party, if you know it. If the app reports a different account, the row fails and nothing is set up.',
    }),
    refreshToken: z
      .string()
      .max(8_192)
      .meta({ description: 'The newest refresh token you have. It is encrypted immediately and never returned.' }),
    scopes: z.array(shown(500)).max(200).optional().meta({
      description:
        'The granted scopes, if you know them and the app may not report them. If neither is known, all requested scopes count as granted.',
    }),
    alias: Alias.optional(),
    labels: LabelsBody.optional(),
    inputs: z
      .record(
        z.string().max(100),
        z.string().max(500).refine(isStorable, 'must not contain control characters or unpaired surrogates'),
      )
      .optional()
      .meta({
        description:
          'Values that the integration asks its users for, such as a subdomain, and values that the app sends with a callback, keyed by the names of the integration.',
      }),
  })
  .meta({ id: 'ImportRowRequest', description: 'One grant of one user.' })

export const toDraft = ({
  integrationId: integration,
  refreshToken,
  inputs = {},
  accountId,
  scopes,
  alias,
  labels,
  ...row
}: z.output<typeof RowRequest>): RowDraft => ({
  ...row,
  integration,
  accountId,
  scopes,
  // The digest of a row without them is the same as before.
  ...(alias !== undefined && { alias }),
  ...(labels && Object.keys(labels).length > 0 && { labels }),
  inputs,
  refreshToken: new Secret(refreshToken),
})

function isStorable(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text)
}

const NamedRow = z.object({
  key: RowRequest.shape.key,
  integrationId: IntegrationId.catch(''),
  endUser: z.object({ id: RowRequest.shape.endUser.shape.id.catch('') }).catch({ id: '' }),
})

/** A row with a key is reported as invalid. An item without a key rejects the whole request. */
function readRow(sent: unknown, { issues }: z.RefinementCtx): RowDraft {
  const read = RowRequest.safeParse(sent, { error: plainWords })
  if (read.success) return toDraft(read.data)
  const named = NamedRow.safeParse(sent, { error: plainWords })
  if (named.success) return { ...toDraft({ ...named.data, refreshToken: '' }), errors: rowErrors(read.error) }
  for (const { path, message } of named.error.issues) issues.push({ code: 'custom', path, message, input: undefined })
  return z.NEVER
}

/** An unknown member name could be a misplaced token, so only plain names are reported. */
const isReportable = (part: PropertyKey) => typeof part === 'number' || /^[A-Za-z_]{1,40}$/.test(String(part))

const maxRowErrors = 20

const rowErrors = (error: z.ZodError): InputError[] =>
  inputErrors({ issues: error.issues.flatMap(withReportableNames).slice(0, maxRowErrors) })

function withReportableNames(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  const unreportable = issue.path.findIndex((part) => !isReportable(part))
  const path = unreportable < 0 ? issue.path : issue.path.slice(0, unreportable)
  if (issue.code !== 'unrecognized_keys') return [{ ...issue, path }]
  const keys = issue.keys.filter(isReportable)
  const nameless = { code: 'custom' as const, path, message: 'has an unknown field', input: undefined }
  return [
    ...(keys.length > 0 ? [{ ...issue, path, keys }] : []),
    ...(keys.length < issue.keys.length ? [nameless] : []),
  ]
}

/** The OpenAPI schema is RowRequest; parsing accepts invalid rows and reports them individually. */
const SentRow = RowRequest.catch(({ value }) => value as never).transform(readRow)

export const RowsBody = z
  .strictObject({
    rows: z.array(SentRow).min(1).max(maxRowsPerRequest).meta({
      description: 'Each row needs a unique key. Invalid rows are rejected individually.',
    }),
    dryRun: z.boolean().optional().meta({
      description: 'Validates the rows without storing them. Refresh tokens are not tested.',
    }),
  })
  .meta({
    id: 'ImportRowsRequest',
    description: `Up to ${maxRowsPerRequest} rows, and 1 MB.`,
    examples: [
      {
        rows: [
          {
            key: '4711',
            integrationId: 'gmail',
            endUser: { id: 'user-42' },
            accountId: '108432',
            refreshToken: '1//0gExampleRefreshToken',
          },
        ],
      },
    ],
  })

export const RowAnswer = z
  .strictObject({
    key: z.string().meta({ description: 'As sent.' }),
    status: z.enum(rowStatuses).meta({
      id: 'ImportRowStatus',
      description:
        '`waiting` and `pending` continue automatically. `linked`: the connection works. `failed` is final. `needs_attention` waits for the deployment’s support team. `invalid` was rejected: correct it and send it again. `cancelled` was not started.',
    }),
    integrationId: z.string().meta({ description: 'As sent. Empty if it is invalid.' }),
    endUser: EndUser,
    accountId: z.string().optional().meta({ description: 'As sent.' }),
    linkId: z.string().optional().meta({ description: 'The link of the row. Present once the row was started.' }),
    connectionId: z.string().optional().meta({ description: 'Present when `linked`.' }),
    cause: CauseAnswer.optional().meta({ description: 'Why the row failed, needs attention, or is being retried.' }),
    problem: z
      .strictObject({
        code: z.enum(rowProblems).meta({ id: 'ImportRowProblemCode', description: 'What is wrong with a row.' }),
        whoseMove: WhoseMove,
        title: z.string(),
        advice: z.string(),
        errors: z
          .array(
            z.strictObject({
              pointer: z.string().meta({ description: 'JSON pointer into the row.' }),
              detail: z.string(),
            }),
          )
          .optional()
          .meta({ description: 'The invalid members of the row. Present with `members_invalid`.' }),
      })
      .optional()
      .meta({ description: 'Present when `invalid`.' }),
  })
  .meta({
    id: 'ImportRow',
    description: 'The state of a row.',
    examples: [
      {
        key: '4711',
        status: 'linked',
        integrationId: 'gmail',
        endUser: { id: 'user-42' },
        accountId: '108432',
        linkId: 'lnk_06gxytktsx4pfczwby539m3g5r',
        connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
      },
    ],
  })

export function rowAnswer(row: ImportRow): z.input<typeof RowAnswer> {
  const status = rowStatusOf(row)
  return {
    key: row.key,
    status,
    integrationId: row.integration,
    endUser: endUserAnswer(row.endUser),
    ...(row.accountId !== undefined && { accountId: row.accountId }),
    ...(row.state === 'started' && { linkId: row.linkId }),
    ...(status === 'linked' && { connectionId: row.connectionId }),
    ...(row.linkState !== undefined && row.cause && { cause: explain(row.cause) }),
    ...(row.problem && { problem: { ...explainProblem(row.problem), ...(row.errors && { errors: row.errors }) } }),
  }
}
