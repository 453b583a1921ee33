// A provider that rejects a refresh without a reason may mean the grant or our client. Only a dead grant is the user's
// move. A test compares the outcomes with docs/reference/health-checks.md.
import type { Cause } from '../cause.ts'
import type { Connection } from '../connection.ts'
import type { DoctorFinding } from '../doctor/finding.ts'
import { isClientCause } from '../doctor/signals.ts'
import type { Finding, HealthCheck } from './health.ts'

/** `unknown`: the token endpoint was asked, and its response says nothing about the client. */
export type ClientVerdict = { at: Date } & ({ is: 'good' | 'unknown' } | { is: 'rejected'; cause: Cause })

/** Other connections of the same client since the first refusal. `worked`: their checks were clear. */
export type Siblings = { worked: number; refused: number; unchecked: number }

type UnexplainedRefusal = {
  now: Date
  /** The first refusal since the grant last worked. Undefined if this is the first one. */
  firstAt: Date | undefined
  client: ClientVerdict | undefined
  siblings: Siblings | undefined
}

/** The first refusal since the grant last worked or was replaced. `checks`: the newest first. */
export function firstRefusal(
  { unexplainedRefusals, relinkedAt }: Pick<Connection, 'unexplainedRefusals' | 'relinkedAt'>,
  checks: readonly HealthCheck[],
): Date | undefined {
  if (unexplainedRefusals === 0) return undefined
  const worked = checks.findIndex(({ outcome, at }) => outcome === 'healthy' || (relinkedAt && at < relinkedAt))
  const since = worked === -1 ? checks : checks.slice(0, worked)
  return since.findLast(({ cause }) => cause === 'refresh_refused')?.at
}

/** Two checks within seconds see the same fault. */
const minRefusalSeconds = 2 * 60

export function judgeUnexplained({ now, firstAt, client, siblings }: UnexplainedRefusal): Finding {
  if (client?.is === 'rejected') return { outcome: 'unclear', cause: client.cause, isHeldBack: true }
  const isRepeated = firstAt !== undefined && now.getTime() - firstAt.getTime() >= minRefusalSeconds * 1_000
  return isRepeated && isOfGrant(firstAt, client, siblings)
    ? { outcome: 'broken', cause: 'grant_revoked', isUnexplained: true }
    : { outcome: 'unclear', cause: 'refresh_refused', isUnexplained: true }
}

/** An older verdict may precede a change of the secret. */
function isOfGrant(firstAt: Date, client: ClientVerdict | undefined, siblings: Siblings | undefined): boolean {
  if (client?.is === 'good') return client.at >= firstAt
  return client?.is === 'unknown' && siblings !== undefined && !mayBeOfClient(siblings)
}

/** With fewer than three grants, a rejected client cannot be distinguished from revoked grants. */
const mayBeOfClient = ({ worked, refused, unchecked }: Siblings): boolean =>
  worked <= refused && refused + unchecked >= 2

export const verdictOf = ({ verdict, cause }: DoctorFinding, at: Date): ClientVerdict => {
  if (verdict === 'ok') return { is: 'good', at }
  return verdict === 'wrong' && cause && isClientCause(cause) ? { is: 'rejected', cause, at } : { is: 'unknown', at }
}
