import { ApprovalDecision, type ApprovalState } from '../../../../contract/control-plane/approvals.ts'
import type { Actor } from '../../../shared/domain/audit.ts'
import { type BrowserPeople, type Caller, isPerson } from '../../../shared/domain/caller.ts'
import type { Approvers } from './approval-rule.ts'

/** A call that the policy selects. `covers` is what an approval for an hour is for. */
export type ApprovalNeed = {
  connection: { id: string; name: string; workspace: string }
  app: string
  tool: string
  covers: string
  digest: string
  shown: ShownCall
  approvers: Approvers | undefined
}

export type ShownCall = { description: string | undefined; arguments: unknown }

/** The people who may decide. Stored, and compared when a receipt is used. */
export type Deciders =
  | ({ are: 'named' } & Approvers)
  | { are: 'caller'; id: string }
  | { are: 'end_users'; functionId: string }

export function decidersOf({ approvers }: ApprovalNeed, caller: Caller, functionId: string): Deciders {
  if (approvers) return { are: 'named', ...approvers }
  return isPerson(caller) ? { are: 'caller', id: caller.id } : { are: 'end_users', functionId }
}

/** A person with all their clients, or one key. */
export const subjectOf = (caller: Caller): string => (isPerson(caller) ? caller.id : caller.credential)

export type Decider = Pick<Actor, 'kind' | 'id' | 'label' | 'credential'>

export function deciderAmong(
  { member, endUsers }: BrowserPeople,
  { workspace, deciders }: Pick<Approval, 'workspace' | 'deciders'>,
): Decider | undefined {
  if (member && isMemberDecider(member, workspace, deciders)) {
    return { kind: 'user', id: member.id, label: member.label, credential: `session:${member.id}` }
  }
  const user = endUsers.find((each) => each.workspace === workspace && isUserDecider(each, deciders))
  if (!user) return undefined
  const credential = `${user.isRemembered ? 'browser' : 'session'}:${user.id}`
  return { kind: 'end_user', id: user.id, label: user.label, credential }
}

function isMemberDecider(
  { id, label, workspaces }: NonNullable<BrowserPeople['member']>,
  workspace: string,
  deciders: Deciders,
): boolean {
  if (!workspaces.includes(workspace)) return false
  if (deciders.are === 'named') return deciders.members.includes(label.toLowerCase())
  return deciders.are === 'caller' && deciders.id === id
}

function isUserDecider({ id, functionId, endUserId }: BrowserPeople['endUsers'][number], deciders: Deciders): boolean {
  if (deciders.are === 'named') return deciders.endUsers.includes(endUserId)
  return deciders.are === 'caller' ? deciders.id === id : deciders.functionId === functionId
}

export const decisions = ApprovalDecision.options
export type Decision = ApprovalDecision

export const approvalSeconds = { waiting: 3_600, once: 900, hour: 3_600, decline: 900 } as const

export type Claim = {
  workspace: string
  functionId: string
  functionName: string
  caller: Caller
  deciders: Deciders
  need: ApprovalNeed
}

export type Approval = {
  id: string
  workspace: string
  functionId: string
  functionName: string
  connectionId: string
  connection: string
  app: string
  tool: string
  covers: string
  digest: string
  subject: string
  caller: { kind: Caller['kind']; id: string; label: string }
  deciders: Deciders
  decision: Decision | undefined
  decidedBy: { kind: string; id: string; label: string } | undefined
  decidedAt: Date | undefined
  receipt: string | undefined
  usedAt: Date | undefined
  expiresAt: Date
  createdAt: Date
  changedAt: Date
}

/** The text that is signed. An approval for an hour covers any arguments. */
export function receiptText(
  { id, connectionId, subject, deciders, tool, covers, digest }: Approval,
  decision: 'once' | 'hour',
  expiresAt: Date,
): string {
  const call = decision === 'hour' ? [covers] : [tool, digest]
  return JSON.stringify([id, connectionId, subject, decidersText(deciders), decision, ...call, expiresAt.getTime()])
}

/** In one order, because PostgreSQL does not keep the order of members. */
const decidersText = (deciders: Deciders): unknown[] => {
  if (deciders.are === 'named') return [deciders.are, deciders.members, deciders.endUsers]
  return [deciders.are, deciders.are === 'caller' ? deciders.id : deciders.functionId]
}

export type { ApprovalState }

export function stateOf({ decision, usedAt, expiresAt }: Approval, now: Date): ApprovalState {
  if (usedAt) return 'used'
  if (decision === 'decline') return 'declined'
  if (expiresAt <= now) return 'expired'
  if (decision === undefined) return 'waiting'
  return decision === 'once' ? 'allowed_once' : 'allowed_for_an_hour'
}

/** `startedAt`: the same call was sent before, and its answer is not known. */
export type AskedApproval = { id: string; state: 'waiting' | 'declined'; startedAt: Date | undefined }

export type UsedReceipt = { callId: string; approval: Approval }

export type Approvals = {
  /** Marks a receipt for the call as used. Each receipt is returned once, in any process. */
  use(claim: Claim): Promise<UsedReceipt | undefined>
  /** The call was refused for its credential, so it was not made. */
  giveBack(used: UsedReceipt, by: Actor): Promise<void>
  finish(used: UsedReceipt): Promise<void>
  /** Returns the same approval for the same call. Undefined if too many wait. */
  ask(claim: Claim): Promise<AskedApproval | undefined>
  find(id: string): Promise<Approval | undefined>
  /** Undefined after the decision. */
  findShown(approval: Approval): Promise<{ call: ShownCall; startedAt: Date | undefined } | undefined>
  /** Undefined if it was decided, has expired, or is for other deciders now. */
  decide(approval: Approval, decision: Decision, signed: Signed, by: Actor): Promise<Approval | undefined>
  /** Ends a decision that allowed. */
  stop(id: string, by: Actor): Promise<Approval | undefined>
  list(query: ApprovalQuery): Promise<Approval[]>
}

/**
 * `refused`: by the third party for its credential, so the receipt is returned. `unknown`: the next request for the same
 * call says that it may have been made.
 */
export type CallEnd = 'answered' | 'refused' | 'unknown'

export type HeldReceipt = { settle(end: CallEnd): Promise<void> }

export type UseReceipt = (need: ApprovalNeed) => Promise<HeldReceipt | undefined>

export type Signed = { receipt: string | undefined; expiresAt: Date }

export type ApprovalQuery = {
  workspaces: readonly string[]
  since: Date | undefined
  connection: string | undefined
  after: { at: Date; id: string } | undefined
  limit: number
}

export const maxWaiting = 20

/** What a client is told. The state holds it, so that a repeated call gets the same. */
export type ToldApproval = {
  approval: string
  app: string
  tool: string
  isForOthers: boolean
  url: string
  startedAt?: string
}

/** `legs`: how often the call was repeated and waited. */
export type WaitingApproval = { id: string; asked: ToldApproval; legs: number }
