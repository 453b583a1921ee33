import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import { explain } from '../../domain/cause.ts'
import { type ImportRow, mostRowsAtOnce, type RowDraft, rowStatuses, rowStatusOf } from '../../domain/imports/import.ts'
import { explainProblem, rowProblems } from '../../domain/imports/row-problem.ts'
import type { InputError } from '../../domain/input-error.ts'
import { inputErrors } from '../../http/input-errors.ts'
import { plainWords } from '../../http/input-words.ts'
import { CauseAnswer, EndUser, endUserAnswer, IntegrationId, shown, UserEmail } from '../../http/schemas.ts'

export const WhoseMove = CauseAnswer.shape.whoseMove

export const RowRequest = z
  .strictObject({
    key: shown(200).meta({
      description:
        'Your name for this row, such as the id of your own record. The same key in the same import is the same row: a row that is sent again changes nothing. It is shown in the report, so it should not be the name or the email address of a person.',
    }),
    integrationId: IntegrationId,
    endUser: z
      .strictObject({
        id: shown(200).meta({ description: 'Your own id of the user.' }),
        displayName: shown(200).optional(),
        email: UserEmail.optional(),
      })
      .meta({ description: 'Whose grant it is.' }),
    accountId: shown(500).optional().meta({
      description:
        'The id of the account at the third party, where you know it. If the app names another one, the row fails and nothing is set up.',
    }),
    refreshToken: z
      .string()
      .max(8_192)
      .meta({ description: 'The newest one you have. It is sealed at once, and never shown again.' }),
    scopes: z.array(shown(500)).max(200).optional().meta({
      description:
        'What was granted, where you know it and the app may not say. Without either, everything that is asked for counts as granted.',
    }),
    inputs: z
      .record(
        z.string().max(100),
        z.string().max(500).refine(isStorable, 'must not contain control characters or half a character'),
      )
      .optional()
      .meta({
        description:
          'What the integration asks of its users, such as a subdomain, and what its app sends with a callback, by the names of the integration.',
      }),
  })
  .meta({ id: 'ImportRowRequest', description: 'One grant of one user.' })

export const toDraft = ({
  integrationId: integration,
  refreshToken,
  inputs = {},
  accountId,
  scopes,
  ...row
}: z.output<typeof RowRequest>): RowDraft => ({
  ...row,
  integration,
  accountId,
  scopes,
  inputs,
  refreshToken: new Secret(refreshToken),
})

/** What is read of a row is stored together with the others. */
function isStorable(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text)
}

/** What a row is called by, and whatever else of it is as it should be. */
const NamedRow = z.object({
  key: RowRequest.shape.key,
  integrationId: IntegrationId.catch(''),
  endUser: z.object({ id: RowRequest.shape.endUser.shape.id.catch('') }).catch({ id: '' }),
})

/** Whatever has a key is a row, and told by it what else is wrong. Without one it is none, nor is the request. */
function readRow(sent: unknown, { issues }: z.RefinementCtx): RowDraft {
  const read = RowRequest.safeParse(sent, { error: plainWords })
  if (read.success) return toDraft(read.data)
  const named = NamedRow.safeParse(sent, { error: plainWords })
  if (named.success) return { ...toDraft({ ...named.data, refreshToken: '' }), errors: rowErrors(read.error) }
  for (const { path, message } of named.error.issues) issues.push({ code: 'custom', path, message, input: undefined })
  return z.NEVER
}

/** The name of a member that is none of ours may be anything, also a token that slipped: only a plain one is told. */
const isTold = (part: PropertyKey) => typeof part === 'number' || /^[A-Za-z_]{1,40}$/.test(String(part))

/** Kept with the row, so they are no more than a person reads. */
const mostRowErrors = 20

const rowErrors = (error: z.ZodError): InputError[] =>
  inputErrors({ issues: error.issues.flatMap(ofTellableNames).slice(0, mostRowErrors) })

function ofTellableNames(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  const untold = issue.path.findIndex((part) => !isTold(part))
  const path = untold < 0 ? issue.path : issue.path.slice(0, untold)
  if (issue.code !== 'unrecognized_keys') return [{ ...issue, path }]
  const keys = issue.keys.filter(isTold)
  const nameless = { code: 'custom' as const, path, message: 'has a member that is not known', input: undefined }
  return [
    ...(keys.length > 0 ? [{ ...issue, path, keys }] : []),
    ...(keys.length < issue.keys.length ? [nameless] : []),
  ]
}

/** Described as a row has to be, and read as it comes. */
const SentRow = RowRequest.catch(({ value }) => value as never).transform(readRow)

export const RowsBody = z
  .strictObject({
    rows: z.array(SentRow).min(1).max(mostRowsAtOnce).meta({
      description: 'Each with a key of its own. One that is not valid is told so by itself, and the others are taken.',
    }),
    dryRun: z.boolean().optional().meta({
      description:
        'Says what would become of each row, and keeps nothing. No app is asked, so whether a refresh token works is not known.',
    }),
  })
  .meta({
    id: 'ImportRowsRequest',
    description: `Up to ${mostRowsAtOnce} rows, and 1 MB.`,
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
    key: z.string().meta({ description: 'As it was sent.' }),
    status: z.enum(rowStatuses).meta({
      id: 'ImportRowStatus',
      description:
        '`waiting` and `pending` continue without you. `linked`: the connection works. `failed` is final. `needs_attention` waits for the deployment’s support team. `invalid` was not taken: correct it and send it again. `cancelled` was not started.',
    }),
    integrationId: z.string().meta({ description: 'As it was sent. Empty where that is what is not valid.' }),
    endUser: EndUser,
    accountId: z.string().optional().meta({ description: 'As it was sent.' }),
    linkId: z.string().optional().meta({ description: 'The link that carries it. Present once the row was started.' }),
    connectionId: z.string().optional().meta({ description: 'Present when it is `linked`.' }),
    cause: CauseAnswer.optional().meta({ description: 'Why it failed, or needs attention, or is being retried.' }),
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
          .meta({ description: 'Which members of the row are not valid. Present with `members_invalid`.' }),
      })
      .optional()
      .meta({ description: 'Present when it is `invalid`.' }),
  })
  .meta({
    id: 'ImportRow',
    description: 'What became of a row.',
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
