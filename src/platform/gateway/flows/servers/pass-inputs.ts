import { randomUUID } from 'node:crypto'
import type { Member } from '../../../shared/domain/caller.ts'
import {
  type AskedInputs,
  type AskUser,
  answerInSession,
  type ContinuedCall,
  type InputAsker,
  type InputRequests,
  isDeclined,
  passedOn,
  type WaitingInput,
} from '../../domain/clients/inputs.ts'
import { jsonDigest } from '../../domain/json-digest.ts'
import { failed, McpFailure, type OpenMcp, stateRefused, type ToolResult } from '../../domain/mcp.ts'
import { type CallStates, urlRequired } from '../../domain/repair.ts'
import type { Arguments } from '../../domain/tool-request.ts'
import type { Exchange, JsonObject } from '../../domain/vendor/vendor-mcp.ts'
import { askMs, cancelled, goOn, type HeldPorts, runHeld, type Turn, takeWithin } from './held-calls.ts'

export type InputPorts = HeldPorts & { inputStates: CallStates<WaitingInput> }

type Takes = InputAsker['takes']
type Call = (ask: AskUser, signal: AbortSignal, continued?: ContinuedCall) => Promise<ToolResult | undefined>
type Require = (waiting: Omit<WaitingInput, 'id'>, requests: InputRequests) => ToolResult

const takesNothing: Takes = { forms: false, urls: false }

/** Passes what a vendor's server asks for in the middle of a call to the user of a client that declares it. */
export function passInputs(ports: InputPorts, mcp: OpenMcp, { workspace, caller }: Member): OpenMcp {
  const identify = (tool: string, args: Arguments): string =>
    JSON.stringify(['input', workspace, mcp.id, caller.kind, caller.id, tool, jsonDigest(args)])
  return {
    ...mcp,
    async call(tool, args, { repeated, ...exchange }) {
      const waiting = repeated && (await used(ports, repeated.state, identify(tool, args)))
      const takes = exchange.client?.declares ?? takesNothing
      if (!takes.forms && !takes.urls) return passed(await mcp.call(tool, args, exchange), takes)
      const call: Call = (ask, signal, continued) => {
        const asker = { takes, user: `${caller.kind}:${caller.id}`, ask: checked(ask, takes) }
        return mcp.call(tool, args, { ...exchange, signal, asker, ...(continued && { continued }) })
      }
      if (exchange.session !== undefined) return inSession(ports, exchange, takes, call)
      const require: Require = (next, requests) => {
        const state = ports.inputStates.seal({ id: randomUUID(), ...next }, identify(tool, args))
        return { ...failed('The server needs an answer of the user.'), input: { state, requests } }
      }
      return shown(await turnOf(ports, waiting, repeated?.responses ?? {}, exchange.signal, call), takes, require)
    },
  }
}

async function used({ inputStates }: InputPorts, state: string, call: string): Promise<WaitingInput> {
  const waiting = inputStates.open(state, call)
  if (!waiting) throw stateRefused('is for another call, or has expired')
  if (!(await inputStates.claim(waiting.id))) throw stateRefused('was used')
  return waiting
}

function turnOf(
  ports: InputPorts,
  waiting: WaitingInput | undefined,
  responses: JsonObject,
  signal: AbortSignal,
  call: Call,
): Promise<Turn> | Turn {
  if (waiting?.held) return goOn(ports, waiting.held, responses[heldName] ?? cancelled, signal)
  if (waiting?.again && isDeclined(responses)) return { result: failed('The user declined to open the page.') }
  const continued = waiting && !waiting.again ? continuedBy(waiting, responses) : undefined
  return runHeld(ports, signal, (ask, own) => call(ask, own, continued))
}

const continuedBy = ({ state }: Pick<AskedInputs, 'state'>, inputResponses: JsonObject): ContinuedCall => ({
  ...(state !== undefined && { requestState: state }),
  inputResponses,
})

const heldName = 'input'

function shown(turn: Turn, takes: Takes, require: Require): ToolResult | undefined {
  if ('result' in turn) return passed(turn.result, takes, require)
  const { asked, held } = turn
  const requests = passedOn({ [heldName]: { method: 'elicitation/create', params: asked } }, takes)
  return typeof requests === 'string' ? refused(requests) : require({ held }, withoutIds(requests))
}

function passed(result: ToolResult | undefined, takes: Takes, require?: Require): ToolResult | undefined {
  if (!result?.asks) return result
  const { requests, ...waiting } = result.asks
  const allowed = passedOn(requests, takes)
  if (typeof allowed === 'string') return refused(allowed)
  return require ? require(waiting, withoutIds(allowed)) : refused('asks the client to repeat the call')
}

const refused = (reason: string): ToolResult => failed(`The server of this tool ${reason}.`, 'third_party_error')

/** In 2026-07-28 elicitations have no ID. */
const withoutIds = (requests: InputRequests): InputRequests =>
  Object.fromEntries(
    Object.entries(requests).map(
      ([
        name,
        {
          method,
          params: { elicitationId: _, ...params },
        },
      ]) => [name, { method, params }],
    ),
  )

/** The server gets the reason as an error. */
const checked =
  (ask: AskUser, takes: Takes): AskUser =>
  async (params) => {
    const allowed = passedOn({ [heldName]: { method: 'elicitation/create', params } }, takes)
    if (typeof allowed === 'string') throw new Error(`The server ${allowed}.`)
    return ask(params)
  }

/** A server that asks again and again is stopped. The official client repeats a call at most ten times. */
const maxTurns = 8

/** Before 2026-07-28 the client is asked on the stream of its call. */
async function inSession(ports: InputPorts, exchange: Exchange, takes: Takes, call: Call) {
  const ask = askerIn(ports, exchange)
  let continued: ContinuedCall | undefined
  for (let turn = 0; turn < maxTurns; turn++) {
    const result = await call(ask, exchange.signal, continued)
    if (!result?.asks) return result
    const { requests, state, again } = result.asks
    const allowed = passedOn(requests, takes)
    if (typeof allowed === 'string') return refused(allowed)
    if (again) throw urlsRequired(allowed)
    const inputResponses: JsonObject = {}
    for (const [name, { params }] of Object.entries(allowed)) inputResponses[name] = await ask(params)
    continued = continuedBy({ ...(state !== undefined && { state }) }, inputResponses)
  }
  return refused('asks again and again')
}

const askerIn =
  (ports: InputPorts, { session = '', send, signal }: Exchange): AskUser =>
  async (params) => {
    const id = randomUUID()
    const key = answerInSession(session, id)
    await ports.awaitedInputs.expect(key)
    const isPage = params.mode === 'url'
    await send?.(id, { method: 'elicitation/create', params: { ...(isPage && { elicitationId: id }), ...params } })
    const answer = (await takeWithin(ports, key, askMs, signal)) as { result?: JsonObject } | undefined
    return answer?.result ?? cancelled
  }

function urlsRequired(requests: InputRequests): McpFailure {
  const elicitations = Object.values(requests).map(({ params }) => params)
  const message = 'The server of this tool needs its user: open the page, and repeat the call afterwards.'
  return new McpFailure(message, undefined, urlRequired, { elicitations })
}
