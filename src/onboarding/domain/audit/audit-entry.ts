import type { Link, LinkState } from '../link.ts'
import type { Actor, Snapshot } from './audit.ts'
import { type AuditAction, auditActionNames, type auditActions } from './audit-actions.ts'
import type { FactsIn, Optional, SubjectKind } from './audit-facts.ts'

type DescriptionOf<Action extends AuditAction> = (typeof auditActions)[Action]

export type FactsOf<Action extends AuditAction> = FactsIn<DescriptionOf<Action>['facts']>

/** Written in the same transaction as the change it describes. */
export type EntryOf<Action extends AuditAction> = Action extends AuditAction
  ? { action: Action; actor: Actor } & Places & About<Action> & Facts<Action> & Reason<Action> & Change<Action>
  : never

export type AuditEntry = EntryOf<AuditAction>

type Places = { tenant?: string | undefined; link?: string | undefined; connection?: string | undefined }

type About<Action extends AuditAction> =
  DescriptionOf<Action>['about'] extends Optional<infer Kind>
    ? { subject: { kind: Kind; id: string } | undefined }
    : DescriptionOf<Action>['about'] extends SubjectKind
      ? { subject: { kind: DescriptionOf<Action>['about']; id: string } }
      : { subject?: undefined }

type Facts<Action extends AuditAction> = keyof DescriptionOf<Action>['facts'] extends never
  ? { facts?: Record<string, never> }
  : { facts: FactsOf<Action> }

type Reason<Action extends AuditAction> =
  DescriptionOf<Action> extends { reason: true } ? { reason?: string | undefined } : { reason?: undefined }

type Change<Action extends AuditAction> =
  DescriptionOf<Action> extends { change: true }
    ? { before?: Snapshot | undefined; after?: Snapshot | undefined }
    : { before?: undefined; after?: undefined }

export type WrittenEntry = {
  [Action in AuditAction]: { action: Action; facts: FactsOf<Action> }
}[AuditAction] & {
  id: number
  at: Date
  actor: Pick<Actor, 'kind' | 'id' | 'name'>
  subject: { kind: SubjectKind; id: string } | undefined
  tenant: string | undefined
  link: string | undefined
  connection: string | undefined
  reason: string | undefined
  requestId: string | undefined
  address: string | undefined
  erasure: string | undefined
  before: Snapshot | undefined
  after: Snapshot | undefined
}

export const aboutLink = ({ id, tenant, connectionId }: Pick<Link, 'id' | 'tenant' | 'connectionId'>) => ({
  subject: { kind: 'link' as const, id },
  tenant,
  link: id,
  connection: connectionId,
})

export const aboutTenant = (id: string) => ({ subject: { kind: 'tenant' as const, id }, tenant: id })

export const aboutConnection = ({ id, tenant }: { id: string; tenant: string }) => ({
  subject: { kind: 'connection' as const, id },
  tenant,
  connection: id,
})

export const linkEntry = <State extends LinkState>(
  link: Pick<Link, 'id' | 'tenant' | 'connectionId'>,
  to: State,
  actor: Actor,
  facts: FactsOf<`link.${State}`>,
  change: { before?: Snapshot; after?: Snapshot } = {},
): AuditEntry => ({ action: `link.${to}`, actor, ...aboutLink(link), facts, ...change }) as AuditEntry

export function nearestAction(text: string): AuditAction {
  const [first, ...others] = auditActionNames
  return others.reduce(
    (best, each) => (distance(text, each) < distance(text, best) ? each : best),
    first as AuditAction,
  )
}

function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [line, sign] of [...from].entries()) {
    const next = [line + 1]
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (sign === other ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
