import type { components, operations } from './openapi.ts'

type Schemas = components['schemas']

export type Approval = Schemas['Approval']
export type AuditEntry = Schemas['AuditEntry']
export type Campaign = Schemas['Campaign']
export type CampaignMember = Schemas['CampaignMember']
export type Cause = Schemas['Cause']
export type CauseCode = Schemas['CauseCode']
export type Connection = Schemas['Connection']
export type ConnectionTask = Schemas['ConnectionTask']
export type ConnectSession = Schemas['ConnectSession']
export type EndUser = Schemas['EndUser']
export type Event = Schemas['Event']
export type AuditRecord = Schemas['AuditRecord']
export type AuditHead = Schemas['AuditHead']
export type Import = Schemas['Import']
export type ImportProgress = Schemas['ImportProgress']
export type ImportRow = Schemas['ImportRow']
export type Integration = Schemas['Integration']
export type Link = Schemas['Link']
export type LinkedLink = Link & { status: 'linked' } & Required<Pick<Link, 'connection' | 'connectionId'>>
/** Discriminated by `status`. */
export type LinkOutcome = LinkedLink | (Link & { status: Exclude<Link['status'], 'linked'> })
export type ManageSession = Schemas['ManageSession']
export type Problem = Schemas['Problem']
export type ProblemCode = Schemas['ProblemCode']
export type Tenant = Schemas['Tenant']
export type Erasure = Schemas['Erasure']
export type TenantDeletion = Schemas['TenantDeletion']
export type Webhook = Schemas['Webhook']
export type WebhookDelivery = Schemas['WebhookDelivery']
export type WhoseMove = Schemas['WhoseMove']

/** Discriminated by `type`. */
export type WebhookEvent =
  | Schemas['LinkSucceededEvent']
  | Schemas['LinkFailedEvent']
  | Schemas['ConnectionRelinkedEvent']
  | Schemas['ConnectionNeedsRelinkEvent']
  | Schemas['ConnectionHealthUnknownEvent']
  | Schemas['ConnectionGrantEndsSoonEvent']
  | Schemas['ConnectionToolsChangedEvent']
  | Schemas['ConnectionApprovalRequestedEvent']
  | Schemas['ConnectionApprovalDecidedEvent']
  | Schemas['ConnectionDisconnectedEvent']
  | Schemas['EndUserErasedEvent']
  | Schemas['TenantDeletedEvent']
  | Schemas['AuditRecordedEvent']

export type OperationId = keyof operations

/** Optional members may also be undefined, because JSON.stringify omits them. */
type Sendable<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]: Sendable<T[K]> | (Partial<Record<K, T[K]>> extends Pick<T, K> ? undefined : never) }
    : T

export type Params<Op extends OperationId> = operations[Op] extends { parameters: { path: infer P } } ? P : undefined

export type Query<Op extends OperationId> = operations[Op] extends { parameters: { query?: infer Q } }
  ? Sendable<Exclude<Q, undefined>>
  : undefined

export type Body<Op extends OperationId> = operations[Op] extends {
  requestBody?: { content: { 'application/json': infer B } }
}
  ? Sendable<B>
  : undefined

type JsonOf<R> = R extends { content: { 'application/json': infer A } } ? A : undefined

export type Answer<Op extends OperationId> = JsonOf<operations[Op]['responses'][keyof operations[Op]['responses']]>

export type Item<Op extends OperationId> = Answer<Op> extends { data: Array<infer I> } ? I : never
