import { isPerson, type Member } from '../../../shared/domain/caller.ts'
import type { OpenMcp } from '../../domain/mcp.ts'
import { type ApprovalPorts, leadToApproval } from '../approvals/lead-to-approval.ts'
import { leadToRepair, type RepairPorts } from '../lead-to-repair.ts'
import type { MeteredRun } from '../meter-run.ts'
import { recordCalls } from '../record-calls.ts'
import { type InputPorts, passInputs } from './pass-inputs.ts'
import { type PagePorts, showPages } from './show-pages.ts'

export type CallPorts = Parameters<typeof recordCalls>[0] & RepairPorts & ApprovalPorts & InputPorts & PagePorts

type By = { member: Member; run: MeteredRun | undefined; reopen(): Promise<OpenMcp> }

/** What a caller does with a function. Waiting for a person is outermost, so that it is neither recorded nor billed. */
export function callsOf(ports: CallPorts, opened: OpenMcp, { member, run, reopen }: By): OpenMcp {
  const inRun = (mcp: OpenMcp) => {
    const recorded = recordCalls(ports, mcp, member)
    return passInputs(ports, run?.billing(recorded) ?? recorded, member)
  }
  const again = async () => inRun(await reopen())
  const repairing = (mcp: OpenMcp) => leadToRepair(ports, mcp, member, again)
  const approving = leadToApproval(ports, repairing(inRun(opened)), member, async () => repairing(await again()))
  return showPages(ports, keepingTools(approving, member), member)
}

/** A call of a person leads to the repair of a dead grant. To a key the list reports it: the product checks the grant so. */
const keepingTools = (mcp: OpenMcp, { caller }: Member): OpenMcp => ({
  ...mcp,
  listTools: ({ acceptsKnownTools = isPerson(caller), ...exchange }) =>
    mcp.listTools({ ...exchange, acceptsKnownTools }),
})
