import { randomUUID } from 'node:crypto'
import { describeError, type Log } from '../../../kit/process/log.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { type Rung, rungOf } from '../domain/clients/declared.ts'
import { isDeclined } from '../domain/clients/inputs.ts'
import { jsonDigest } from '../domain/json-digest.ts'
import { failed, McpFailure, type OpenMcp, stateRefused, type ToolResult } from '../domain/mcp.ts'
import {
  type CallStates,
  type Elicitations,
  type Gap,
  openPage,
  repairSentence,
  urlRequired,
  type WaitingCall,
  type Way,
  type Ways,
} from '../domain/repair.ts'
import type { Arguments } from '../domain/tool-request.ts'
import type { Exchange } from '../domain/vendor/vendor-mcp.ts'

export type RepairPorts = {
  ways: Ways
  callStates: CallStates
  elicitations: Pick<Elicitations, 'add'>
  now: () => Date
  pause(ms: number): Promise<void>
  log: Log<'repair.unrecorded'>
}

/** Below the 30 s after which many clients and proxies give up. */
const waitMs = 25_000
const lookMs = 400
/** The official client repeats a call at most ten times. */
const maxLegs = 8

/**
 * A call with a gap leads its caller to a page where a person ends the gap. `reopen` reads the function again, because a
 * repeated call may have waited for new secrets.
 */
export function leadToRepair(
  ports: RepairPorts,
  mcp: OpenMcp,
  { workspace, caller }: Member,
  reopen: () => Promise<OpenMcp>,
): OpenMcp {
  const { id: functionId, name: functionName } = mcp
  const pageFor = (gap: Gap) => wayOf(ports, gap).pageFor(gap, { workspace, functionId, functionName, caller })
  const identify = (tool: string, args: Arguments): string =>
    JSON.stringify([workspace, functionId, caller.kind, caller.id, tool, jsonDigest(args)])
  const lead = async (gap: Gap, tool: string, args: Arguments, exchange: Exchange): Promise<ToolResult> => {
    const url = await pageFor(gap)
    const rung = exchange.client ? rungOf(exchange.client, caller) : 'text'
    if (rung === 'error' && exchange.session !== undefined) throw await urlError(ports, gap, url, exchange.session)
    if (rung !== 'input') return sentence(gap, url, rung)
    const waiting = { id: randomUUID(), workspace, gap, url, legs: 0 }
    const state = ports.callStates.seal(waiting, identify(tool, args))
    return { ...sentence(gap, url), input: { state, requests: openPage({ message: gap.ask, url }) } }
  }
  const callOnce = async (open: OpenMcp, ...[tool, args, exchange]: Parameters<OpenMcp['call']>) => {
    const result = await open.call(tool, args, exchange)
    if (!result?.gap) return result
    return lead(result.gap, tool, args, exchange).catch((error) => {
      if (error instanceof McpFailure) throw error
      // The caller already has the tool error; a storage failure must not replace it.
      ports.log('repair.unrecorded', { code: describeError(error) })
      return result
    })
  }
  return {
    ...mcp,
    async call(tool, args, exchange) {
      const { repeated, ...first } = exchange
      if (!repeated) return callOnce(mcp, tool, args, exchange)
      const call = identify(tool, args)
      const waiting = ports.callStates.open(repeated.state, call)
      if (!waiting) return callOnce(mcp, tool, args, exchange)
      const { gap, url } = waiting
      if (isDeclined(repeated.responses)) return sentence(gap, url)
      if (!(await comesToAnEnd(ports, waiting, exchange.signal))) {
        const legs = waiting.legs + 1
        if (legs > maxLegs) return sentence(gap, url)
        return { ...sentence(gap, url), input: { state: ports.callStates.seal({ ...waiting, legs }, call) } }
      }
      const open = await reopen()
      if (!(await ports.callStates.claim(waiting.id))) throw stateRefused('was used')
      return callOnce(open, tool, args, first)
    },
  }
}

async function comesToAnEnd(
  ports: RepairPorts,
  { workspace, gap }: WaitingCall,
  signal: AbortSignal,
): Promise<boolean> {
  for (const deadline = ports.now().getTime() + waitMs; ; await ports.pause(lookMs)) {
    if (await wayOf(ports, gap).isOver(gap, workspace)) return true
    if (signal.aborted || ports.now().getTime() >= deadline) return false
  }
}

const wayOf = ({ ways }: RepairPorts, { kind }: Gap): Way<Gap> => ways[kind]

const sentence = (gap: Gap, url: string, rung?: Rung): ToolResult => ({
  ...failed(repairSentence(gap, url, rung), gap.code),
  ...(gap.scope && { scope: gap.scope }),
  repairUrl: url,
})

async function urlError({ elicitations }: RepairPorts, gap: Gap, url: string, session: string): Promise<McpFailure> {
  const { code, scope, ask: message } = gap
  const elicitationId = await elicitations.add({ id: randomUUID(), session, gap })
  const asked = { mode: 'url', elicitationId, message, url }
  const data = { code, ...(scope && { scope }), repairUrl: url, elicitations: [asked] }
  return new McpFailure(repairSentence(gap, url), undefined, urlRequired, data)
}
