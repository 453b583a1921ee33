import { ApprovalDecision, ApprovalState } from '../../contract/control-plane/approvals.ts'

export const approvalDecisions = ApprovalDecision.options

export const approvalStates = ApprovalState.options

/** `expired`: not decided in time. */
export const approvalOutcomes = [...approvalDecisions, 'expired'] as const
