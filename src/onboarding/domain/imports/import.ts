import type { Secret } from '../../../kit/crypto/secret.ts'
import { type Cause, explain, type WhoseMove } from '../cause.ts'
import { Failure } from '../failure.ts'
import type { InputError } from '../input-error.ts'
import { type Config, type EndUser, type LinkState, linkStatuses, statusOf } from '../link.ts'
import type { ConnectionNames } from '../linking/connection-names.ts'
import { problems, type RowProblem } from './row-problem.ts'

export type Import = {
  id: string
  tenant: string
  name: string | undefined
  createdAt: Date
  cancelledAt: Date | undefined
}

export const importCancelled = () => new Failure('import_cancelled', 'This import was cancelled. Create another one.')

export type RowDraft = ConnectionNames & {
  key: string
  integration: string
  endUser: EndUser
  accountId: string | undefined
  refreshToken: Secret
  scopes: string[] | undefined
  inputs: Config
  /** Pointers into the row. An invalid row has only its readable members. */
  errors?: InputError[] | undefined
}

/** `waiting` and `started` hold a grant, in the row and in the escrow of its link. */
export const rowStates = ['waiting', 'started', 'invalid', 'cancelled'] as const
type RowState = (typeof rowStates)[number]

export type ImportRow = {
  importId: string
  key: string
  position: number
  integration: string
  endUser: EndUser
  accountId: string | undefined
  state: RowState
  problem: RowProblem | undefined
  errors: InputError[] | undefined
  linkId: string
  connectionId: string
  linkState: LinkState | undefined
  cause: Cause | undefined
}

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

export function rowMove(row: Pick<ImportRow, 'problem' | 'cause' | 'state' | 'linkState'>): WhoseMove | undefined {
  if (row.problem) return problems[row.problem].whoseMove
  const status = rowStatusOf(row)
  return row.cause && (status === 'failed' || status === 'needs_attention') ? explain(row.cause).whoseMove : undefined
}

export type ImportCounts = { byStatus: Record<RowStatus, number>; byCause: Partial<Record<Cause | RowProblem, number>> }

export const noRows = (): Record<RowStatus, number> =>
  Object.fromEntries(rowStatuses.map((status) => [status, 0])) as Record<RowStatus, number>

export const maxRowsPerRequest = 500

/** Max links in progress: an unavailable platform must not collect all rows and fill the tenant's backlog. */
export const maxUnderWay = 200

export const maxStalled = 100

export const importStatuses = ['empty', 'pending', 'paused', 'done', 'cancelled'] as const
export type ImportStatus = (typeof importStatuses)[number]

export function importStatus({ cancelledAt }: Import, { byStatus }: ImportCounts): ImportStatus {
  if (byStatus.pending > 0) return 'pending'
  if (cancelledAt) return 'cancelled'
  if (Object.values(byStatus).every((rows) => rows === 0)) return 'empty'
  if (byStatus.waiting === 0) return 'done'
  return byStatus.needs_attention >= maxStalled ? 'paused' : 'pending'
}

/** RFC 6749, appendix A.17, with a length that the platform accepts. */
export const refreshTokenPattern = /^[\x21-\x7e]{1,4096}$/
