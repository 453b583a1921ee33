import { randomUUID } from 'node:crypto'
import { describeError, type Log } from '../../../../kit/process/log.ts'
import type { Member } from '../../../shared/domain/caller.ts'
import {
  type ApprovalNeed,
  type Approvals,
  type AskedApproval,
  maxWaiting,
  stateOf,
  type ToldApproval,
  type WaitingApproval,
} from '../../domain/approvals/approval.ts'
import { leadTo, type Rung, rungOf } from '../../domain/clients/declared.ts'
import { isDeclined } from '../../domain/clients/inputs.ts'
import { jsonDigest } from '../../domain/json-digest.ts'
import { failed, McpFailure, type OpenMcp, stateRefused, type ToolResult } from '../../domain/mcp.ts'
import { type CallStates, openPage, urlRequired } from '../../domain/repair.ts'
import type { Arguments } from '../../domain/tool-request.ts'
import type { Exchange } from '../../domain/vendor/vendor-mcp.ts'
import { type ReceiptPorts, receiptsOf } from './with-receipt.ts'

export type ApprovalPorts = ReceiptPorts & {
  approvals: Approvals
  approvalStates: CallStates<WaitingApproval>
  approvalElicitations: { add(elicitation: { id: string; session: string; approval: string }): Promise<string> }
  approvalPage(id: string): string
  now: () => Date
  pause(ms: number): Promise<void>
  log: Log<'approval.unrecorded'>
}

/** Below the 30 s after which many clients and proxies give up. */
const waitMs = 25_000
const lookMs = 400
/** The official client repeats a call at most ten times. */
const maxLegs = 8

/** A call that needs an approval leads its caller to the page of the people who may give it. */
export function leadToApproval(
  ports: ApprovalPorts,
  mcp: OpenMcp,
  member: Member,
  reopen: () => Promise<OpenMcp>,
): OpenMcp {
  const { workspace, caller } = member
  const receipts = receiptsOf(ports, member, mcp)
  const identify = (tool: string, args: Arguments): string =>
    JSON.stringify(['approval', workspace, mcp.id, caller.kind, caller.id, tool, jsonDigest(args)])

  const lead = async (need: ApprovalNeed, tool: string, args: Arguments, exchange: Exchange): Promise<ToolResult> => {
    const found = await receipts.ask(need)
    if (!found) return failed(tooMany(need), 'rate_limited')
    if (found.state === 'declined') return declined(need)
    const asked = askedOf(ports, need, found)
    const rung = exchange.client ? rungOf(exchange.client, caller) : 'text'
    if (rung === 'error' && exchange.session !== undefined) throw await urlError(ports, asked, exchange.session)
    if (rung !== 'input') return sentence(asked, rung)
    const state = ports.approvalStates.seal({ id: randomUUID(), asked, legs: 0 }, identify(tool, args))
    return { ...sentence(asked), input: { state, requests: openPage(askFor(asked)) } }
  }
  const callOnce = async (open: OpenMcp, ...[tool, args, exchange]: Parameters<OpenMcp['call']>) => {
    const result = await open.call(tool, args, { ...exchange, useReceipt: receipts.use })
    if (!result?.need) return result
    return lead(result.need, tool, args, exchange).catch((error) => {
      if (error instanceof McpFailure) throw error
      ports.log('approval.unrecorded', { code: describeError(error) })
      return result
    })
  }
  return {
    ...mcp,
    async call(tool, args, exchange) {
      const { repeated, ...first } = exchange
      if (!repeated) return callOnce(mcp, tool, args, exchange)
      const call = identify(tool, args)
      const waiting = ports.approvalStates.open(repeated.state, call)
      if (!waiting) return callOnce(mcp, tool, args, exchange)
      const { asked } = waiting
      if (isDeclined(repeated.responses)) return sentence(asked)
      const state = await decisionOn(ports, asked.approval, exchange.signal)
      if (state === 'declined') return declined(asked)
      if (state === 'waiting') {
        const legs = waiting.legs + 1
        if (legs > maxLegs) return sentence(asked)
        return { ...sentence(asked), input: { state: ports.approvalStates.seal({ ...waiting, legs }, call) } }
      }
      const open = await reopen()
      if (!(await ports.approvalStates.claim(waiting.id))) throw stateRefused('was used')
      return callOnce(open, tool, args, first)
    },
  }
}

async function decisionOn({ approvals, now, pause }: ApprovalPorts, id: string, signal: AbortSignal) {
  for (const deadline = now().getTime() + waitMs; ; await pause(lookMs)) {
    const found = await approvals.find(id)
    const state = found ? stateOf(found, now()) : 'expired'
    if (state !== 'waiting' || signal.aborted || now().getTime() >= deadline) return state
  }
}

const askedOf = (
  { approvalPage }: ApprovalPorts,
  { app, tool, approvers }: ApprovalNeed,
  { id, startedAt }: AskedApproval,
): ToldApproval => ({
  approval: id,
  app,
  tool,
  isForOthers: approvers !== undefined,
  url: approvalPage(id),
  ...(startedAt && { startedAt: startedAt.toISOString() }),
})

/** Also for the HTTP relay. */
export const approvalSentence = (
  { app, isForOthers, url, startedAt }: Omit<ToldApproval, 'approval' | 'tool'>,
  rung: Rung = 'text',
): string => {
  const who = isForOthers ? 'an approver' : 'the user'
  const earlier = startedAt
    ? ` The same call was sent at ${startedAt} and its answer is not known: check ${app} first, because it may have been done.`
    : ''
  return `${app} needs an approval for this call: ${leadTo(who, url, rung)}, and repeat the same call afterwards.${earlier}`
}

const sentence = (asked: ToldApproval, rung?: Rung): ToolResult => ({
  ...failed(approvalSentence(asked, rung), 'approval_required'),
  approvalUrl: asked.url,
})

export const declinedSentence = ({ app }: { app: string }): string =>
  `The person who decides on calls of ${app} declined this call. Do not repeat it.`

const declined = (asked: { app: string }): ToolResult => failed(declinedSentence(asked), 'approval_declined')

export const tooMany = ({ app }: { app: string }): string =>
  `${maxWaiting} calls of ${app} wait for an approval. Wait until some of them are decided.`

const askFor = ({ app, tool, isForOthers, url }: ToldApproval) => ({
  message: isForOthers
    ? `${tool} of ${app} needs an approver. Open the page, or send its address to an approver.`
    : `Allow ${tool} of ${app}, so that this call can continue.`,
  url,
})

async function urlError(
  { approvalElicitations }: ApprovalPorts,
  asked: ToldApproval,
  session: string,
): Promise<McpFailure> {
  const { approval, url } = asked
  const elicitationId = await approvalElicitations.add({ id: randomUUID(), session, approval })
  const elicitations = [{ mode: 'url', elicitationId, ...askFor(asked) }]
  const data = { code: 'approval_required', approvalUrl: url, elicitations }
  return new McpFailure(approvalSentence(asked), undefined, urlRequired, data)
}
