import type { Actor } from '../../../shared/domain/audit.ts'
import {
  type Approval,
  type ApprovalState,
  type Approvals,
  approvalSeconds,
  type Decision,
  receiptText,
  type ShownCall,
  stateOf,
} from '../../domain/approvals/approval.ts'

type Ports = {
  approvals: Pick<Approvals, 'find' | 'findShown' | 'decide' | 'stop'>
  receiptSigner: { sign(text: string): string }
  now: () => Date
}

export type OpenApproval = { approval: Approval; state: ApprovalState }

export async function findApproval({ approvals, now }: Ports, id: string): Promise<OpenApproval | undefined> {
  const approval = await approvals.find(id)
  return approval && { approval, state: stateOf(approval, now()) }
}

export type Question = { call: ShownCall; startedAt: Date | undefined }

/** Only for people who may decide. Undefined if somebody has decided since. */
export const readQuestion = ({ approvals }: Ports, { approval }: OpenApproval): Promise<Question | undefined> =>
  approvals.findShown(approval)

/** False if somebody else decided, or the people who may decide have changed. */
export async function decideApproval(
  { approvals, receiptSigner, now }: Ports,
  approval: Approval,
  decision: Decision | 'stop',
  by: Actor,
): Promise<boolean> {
  if (decision === 'stop') return (await approvals.stop(approval.id, by)) !== undefined
  const expiresAt = new Date(now().getTime() + approvalSeconds[decision] * 1_000)
  const receipt = decision === 'decline' ? undefined : receiptSigner.sign(receiptText(approval, decision, expiresAt))
  return (await approvals.decide(approval, decision, { receipt, expiresAt }, by)) !== undefined
}
