import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import { explain } from '../../domain/cause.ts'
import { type ImportRow, mostRowsAtOnce, type RowDraft, rowStatuses, rowStatusOf } from '../../domain/imports/import.ts'
import { explainProblem, rowProblems } from '../../domain/imports/row-problem.ts'
import { CauseAnswer, EndUser, endUserAnswer, IntegrationId, shown } from '../../http/schemas.ts'

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
        email: shown(320).optional(),
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
    inputs: z.record(z.string().max(100), z.string().max(500)).optional().meta({
      description:
        'What the integration asks of its users, such as a subdomain, and what its app sends with a callback, by the names of the integration.',
    }),
  })
  .meta({ id: 'ImportRowRequest', description: 'One grant of one user.' })

export const RowsBody = z
  .strictObject({
    rows: z.array(RowRequest).min(1).max(mostRowsAtOnce).meta({ description: 'Each with a key of its own.' }),
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

export const RowAnswer = z
  .strictObject({
    key: z.string().meta({ description: 'As it was sent.' }),
    status: z.enum(rowStatuses).meta({
      id: 'ImportRowStatus',
      description:
        '`waiting` and `pending` continue without you. `linked`: the connection works. `failed` is final. `needs_attention` waits for the deployment’s support team. `invalid` was not taken: correct it and send it again. `cancelled` was not started.',
    }),
    integrationId: z.string(),
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
    ...(row.problem && { problem: explainProblem(row.problem) }),
  }
}
