import type { ToolErrorCode } from '../../../../contract/gateway/tool-result.ts'
import { describeError, type Log } from '../../../../kit/process/log.ts'
import { actorOf } from '../../../shared/domain/audit.ts'
import type { Member } from '../../../shared/domain/caller.ts'
import { sealContext } from '../../../shared/domain/seal-context.ts'
import {
  type ApprovalNeed,
  type Approvals,
  type AskedApproval,
  type CallEnd,
  type Claim,
  decidersOf,
  receiptText,
  subjectOf,
  type UsedReceipt,
  type UseReceipt,
} from '../../domain/approvals/approval.ts'
import { failed, type ToolResult } from '../../domain/mcp.ts'
import type { Exchange } from '../../domain/vendor/vendor-mcp.ts'

/** A call that needs an approval is made with a receipt, or not at all. */
export async function withReceipt(
  need: ApprovalNeed,
  { useReceipt, signal }: Pick<Exchange, 'useReceipt' | 'signal'>,
  call: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const receipt = await useReceipt?.(need)
  if (!receipt) return { ...failed(`${need.app} needs an approval for this call.`, 'approval_required'), need }
  const result = await call()
  await receipt.settle(signal.aborted ? 'unknown' : endOf(result))
  return result
}

const endOf = ({ code, asks }: ToolResult): CallEnd => (asks?.again ? 'refused' : code && ends[code]) ?? 'answered'

const ends: Partial<Record<ToolErrorCode, CallEnd>> = {
  grant_revoked: 'refused',
  insufficient_scope: 'refused',
  third_party_unavailable: 'unknown',
}

export type ReceiptPorts = {
  approvals: Pick<Approvals, 'use' | 'giveBack' | 'finish' | 'ask'>
  receiptSigner: { isValid(text: string, signature: string): boolean }
  log: Log<'approval.forged' | 'approval.unsettled'>
}

export type CallerReceipts = { use: UseReceipt; ask(need: ApprovalNeed): Promise<AskedApproval | undefined> }

/** The receipts of one caller at one function. */
export function receiptsOf(
  ports: ReceiptPorts,
  { workspace, caller }: Pick<Member, 'workspace' | 'caller'>,
  { id: functionId, name: functionName }: { id: string; name: string },
): CallerReceipts {
  const { approvals, log } = ports
  const claimFor = (need: ApprovalNeed): Claim => {
    const deciders = decidersOf(need, caller, functionId)
    return { workspace, functionId, functionName, caller, deciders, need }
  }
  return {
    async use(need) {
      const claim = claimFor(need)
      const used = await approvals.use(claim)
      if (!used) return undefined
      if (!isGenuine(ports, used, claim)) {
        log('approval.forged', { context: sealContext.approval(used.approval.id) })
        return undefined
      }
      const settle = async (end: CallEnd) => {
        if (end === 'answered') await approvals.finish(used)
        if (end === 'refused') await approvals.giveBack(used, actorOf(caller))
      }
      return {
        // The call has its answer, which a storage failure must not replace.
        settle: (end) => settle(end).catch((error) => log('approval.unsettled', { code: describeError(error) })),
      }
    },
    ask: (need) => approvals.ask(claimFor(need)),
  }
}

/** The signature is compared with the call, and not with what the row says about it. */
function isGenuine({ receiptSigner }: ReceiptPorts, { approval }: UsedReceipt, claim: Claim): boolean {
  const { decision, receipt, expiresAt } = approval
  if (receipt === undefined || (decision !== 'once' && decision !== 'hour')) return false
  const { caller, deciders, need } = claim
  const { connection, tool, covers, digest } = need
  const call = { connectionId: connection.id, subject: subjectOf(caller), deciders, tool, covers, digest }
  return receiptSigner.isValid(receiptText({ ...approval, ...call }, decision, expiresAt), receipt)
}
