import type { WhoseMove } from '../cause.ts'

export const problems = {
  members_invalid: {
    whoseMove: 'tenant',
    title: 'Something in the row is missing or wrong',
    advice: '`errors` says what. Correct the row and send it again under the same key.',
  },
  integration_unknown: {
    whoseMove: 'operator',
    title: 'The integration is not available',
    advice:
      'There is no such integration here, or no OAuth client for it. The operator of this deployment has to add the integration, or the tenant its own client. Then send the row again.',
  },
  grant_unsupported: {
    whoseMove: 'tenant',
    title: 'This integration has no refresh tokens',
    advice: 'Its grants cannot be imported. Ask the user to connect the account again.',
  },
  token_malformed: {
    whoseMove: 'tenant',
    title: 'This is not a refresh token',
    advice: 'It must have 1 to 4096 characters of printable ASCII without spaces. Correct the row and send it again.',
  },
  inputs_invalid: {
    whoseMove: 'tenant',
    title: 'The inputs of the integration are missing or wrong',
    advice: 'Correct `inputs` as the integration describes them, and send the row again.',
  },
  token_repeated: {
    whoseMove: 'tenant',
    title: 'The refresh token is in another row',
    advice: 'One grant can have only one connection. Send a row only for the owner of the grant.',
  },
  key_reused: {
    whoseMove: 'tenant',
    title: 'The key belongs to another row',
    advice:
      'A row with this key was sent before with other content, and is unchanged. Send this row under another key.',
  },
} as const satisfies Record<string, { whoseMove: WhoseMove; title: string; advice: string }>

export type RowProblem = keyof typeof problems

export const rowProblems = Object.keys(problems) as [RowProblem, ...RowProblem[]]

export const explainProblem = (code: RowProblem) => ({ code, ...problems[code] })
