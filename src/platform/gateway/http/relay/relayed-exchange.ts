import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../../shared/domain/caller.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { beforeEnd } from '../../../shared/http/before-end.ts'
import { type RelayAddress, relayName } from '../../domain/relay/relay.ts'
import type { ToolCallOutcome } from '../../domain/tool-call.ts'
import type { Headers } from '../../domain/workload.ts'
import { type ReceiptPorts, receiptsOf } from '../../flows/approvals/with-receipt.ts'
import { meterRun } from '../../flows/meter-run.ts'
import type { recordCalls } from '../../flows/record-calls.ts'
import { type RelayFunction, type RelayPorts, relayRequest } from '../../flows/relay/relay-request.ts'
import type { proxyHeaders } from '../proxy-headers.ts'
import { streamedBody, wholeBody } from '../request-body.ts'
import { sendAnswer, whileConnected } from '../send-answer.ts'

export type ExchangePorts = RelayPorts &
  ReceiptPorts &
  Parameters<typeof meterRun>[0] &
  Parameters<typeof recordCalls>[0]

type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  always: Headers
  requestId?: string
  workspace: string
  caller: Caller
  opened: RelayFunction
  address: RelayAddress
  headers: Headers
  relay: string
}

const maxStreamedBytes = 4 * 1024 * 1024 * 1024

/** Small bodies are kept for a second attempt with a new token. */
const maxKeptBytes = 1024 * 1024

/** Sends a request to the API of an account. Every one is recorded and billed, whoever makes it. */
export async function relayExchange(
  ports: ExchangePorts,
  { answered }: Pick<ReturnType<typeof proxyHeaders>, 'answered'>,
  exchange: Exchange,
): Promise<void> {
  const { req, res, always, requestId = randomUUID(), workspace, caller, opened, address, headers, relay } = exchange
  const run = meterRun(ports, { ...runOf(opened, workspace), eventId: requestId, memoryMb: opened.memoryMb })
  beforeEnd(res, run.end)
  const method = req.method ?? 'GET'
  const note = noting(ports, { workspace, caller, opened, method })
  try {
    const answer = await relayRequest(ports, opened, {
      receipts: receiptsOf(ports, { workspace, caller }, opened),
      method,
      address,
      headers,
      body: await bodyOf(req),
      signal: whileConnected(res),
      relay,
    })
    note(answer.status < 400 ? 'succeeded' : 'failed')
    sendAnswer(res, answer, answered(answer.headers, always))
  } catch (error) {
    note(outcomeOf(error, res.closed))
    throw error
  }
}

type Noted = Pick<Exchange, 'workspace' | 'caller' | 'opened'> & { method: string }

function noting({ now, toolCalls }: ExchangePorts, { workspace, caller, opened, method }: Noted) {
  const at = now()
  const { kind, id, label, credential } = caller
  return (outcome: ToolCallOutcome) =>
    toolCalls.note({
      at,
      durationMs: now().getTime() - at.getTime(),
      workspace,
      functionName: opened.name,
      functionId: opened.id,
      caller: { kind, id, label, credential },
      tool: `${relayName} ${method}`,
      outcome,
      code: outcome === 'failed' ? 'third_party_error' : undefined,
    })
}

function outcomeOf(error: unknown, isGone: boolean): ToolCallOutcome {
  if (isGone) return 'cancelled'
  if (!(error instanceof Failure)) return 'crashed'
  return refusals.has(error.code) ? 'refused' : 'failed'
}

const refusals = new Set(['input_invalid', 'role_missing', 'approval_required', 'too_many_requests', 'body_too_large'])

const runOf = ({ id, name }: RelayFunction, workspace: string) => ({
  workspace,
  resourceType: 'mcp_server' as const,
  resourceName: name,
  resourceUuid: id,
  dimension: 'mcp_server_compute_runtime_gbs' as const,
})

async function bodyOf(req: IncomingMessage) {
  const length = Number(req.headers['content-length'] ?? Number.NaN)
  return length <= maxKeptBytes && length > 0 ? wholeBody(req, maxKeptBytes) : streamedBody(req, maxStreamedBytes)
}
