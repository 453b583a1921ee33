// Grants that a tenant already has, brought here in rows. A row that is started becomes a link, which says the rest.
import type { Secret } from '../../../kit/crypto/secret.ts'
import { type Cause, explain, type WhoseMove } from '../cause.ts'
import { Failure } from '../failure.ts'
import type { InputError } from '../input-error.ts'
import { type Config, type EndUser, type LinkState, linkStatuses, statusOf } from '../link.ts'
import { problems, type RowProblem } from './row-problem.ts'

export type Import = {
  id: string
  tenant: string
  /** What the tenant calls it. */
  name: string | undefined
  createdAt: Date
  /** From then on no row is started any more. */
  cancelledAt: Date | undefined
}

export const importCancelled = () => new Failure('import_cancelled', 'This import was cancelled. Create another one.')

/** A row as it was sent. */
export type RowDraft = {
  /** Chosen by the tenant: the same key in the same import is the same row. */
  key: string
  integration: string
  endUser: EndUser
  /** Of the account at the provider, where the tenant knows it. */
  accountId: string | undefined
  refreshToken: Secret
  /** Where the tenant knows them. */
  scopes: string[] | undefined
  inputs: Config
  /** What is wrong with its members, by pointers into the row. Of such a row only what could be read is here. */
  errors?: InputError[] | undefined
}

/** `waiting` and `started` hold a grant, in the row and in the escrow of its link. */
export const rowStates = ['waiting', 'started', 'invalid', 'cancelled'] as const
export type RowState = (typeof rowStates)[number]

/** A row as it is kept, and what became of it. */
export type ImportRow = {
  importId: string
  key: string
  /** Rows of an import, in the order in which they came. */
  position: number
  integration: string
  endUser: EndUser
  accountId: string | undefined
  state: RowState
  problem: RowProblem | undefined
  /** Of a row whose members are not valid: which, and why. */
  errors: InputError[] | undefined
  linkId: string
  connectionId: string
  /** Of its link; undefined until the row is started. */
  linkState: LinkState | undefined
  cause: Cause | undefined
}

/** What a caller is told: until it is started the row's own state, then its link's. */
export const rowStatuses = [
  'waiting',
  'pending',
  'linked',
  'failed',
  'needs_attention',
  'invalid',
  'cancelled',
] as const
export type RowStatus = (typeof rowStatuses)[number]

/** An imported link waits for no user, so it is never denied or abandoned. */
export function rowStatusOf({ state, linkState }: Pick<ImportRow, 'state' | 'linkState'>): RowStatus {
  if (state !== 'started') return state
  const status = linkState === undefined ? 'pending' : statusOf(linkState)
  return (rowStatuses as readonly string[]).includes(status) ? (status as RowStatus) : 'failed'
}

export const isLinkStatus = (status: RowStatus): status is RowStatus & (typeof linkStatuses)[number] =>
  (linkStatuses as readonly string[]).includes(status)

/** Who has to act next for this row, or undefined if nobody has to. */
export function rowMove(row: Pick<ImportRow, 'problem' | 'cause' | 'state' | 'linkState'>): WhoseMove | undefined {
  if (row.problem) return problems[row.problem].whoseMove
  const status = rowStatusOf(row)
  return row.cause && (status === 'failed' || status === 'needs_attention') ? explain(row.cause).whoseMove : undefined
}

/** How many rows of an import are where, and why those that stopped did. */
export type ImportCounts = { byStatus: Record<RowStatus, number>; byCause: Partial<Record<Cause | RowProblem, number>> }

export const noRows = (): Record<RowStatus, number> =>
  Object.fromEntries(rowStatuses.map((status) => [status, 0])) as Record<RowStatus, number>

/** Rows in one request. */
export const mostRowsAtOnce = 500

/**
 * Links of one import that are under way at most: a platform that is away must not take in all rows of an import, and
 * keep users of the same tenant from linking.
 */
export const mostUnderWay = 200

/** When so many of its links need attention, the rest of an import waits until somebody has looked. */
export const mostStalled = 100

export const importStatuses = ['empty', 'pending', 'paused', 'done', 'cancelled'] as const
export type ImportStatus = (typeof importStatuses)[number]

export function importStatus({ cancelledAt }: Import, { byStatus }: ImportCounts): ImportStatus {
  if (byStatus.pending > 0) return 'pending'
  if (cancelledAt) return 'cancelled'
  if (Object.values(byStatus).every((rows) => rows === 0)) return 'empty'
  if (byStatus.waiting === 0) return 'done'
  return byStatus.needs_attention >= mostStalled ? 'paused' : 'pending'
}

/** RFC 6749, appendix A.17, of a length that the platform's JSON carries. */
export const refreshTokenPattern = /^[\x21-\x7e]{1,4096}$/
