import { randomUUID } from 'node:crypto'
import { pollPauseMs } from '../../../../kit/process/backoff.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import type { AskUser, AwaitedInputs, HeldAt } from '../../domain/clients/inputs.ts'
import { failed, type ToolResult } from '../../domain/mcp.ts'
import type { JsonObject } from '../../domain/vendor/vendor-mcp.ts'

export type HeldPorts = { awaitedInputs: AwaitedInputs; now: () => Date; pause(ms: number): Promise<void> }

/** The call is over, or waits for the user. */
export type Turn = { result: ToolResult | undefined } | { asked: JsonObject; held: HeldAt }

/** How long a user may take for an answer. */
export const askMs = 10 * 60_000
/** How long the server may take after an answer. Its process may have died. */
const goOnMs = 100_000

/**
 * Before 2026-07-28 a vendor's server asks while its call runs. A client of 2026-07-28 gets the question as the result and
 * repeats the call with the answer, at any process. In between, the call is held in the process that began it.
 */
export async function runHeld(
  ports: HeldPorts,
  signal: AbortSignal,
  call: (ask: AskUser, signal: AbortSignal) => Promise<ToolResult | undefined>,
): Promise<Turn> {
  const id = randomUUID()
  const own = new AbortController()
  const leave = () => own.abort(signal.reason)
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  let turns = 0
  let show: (turn: Turn) => void
  const firstAsked = new Promise<Turn>((resolve) => {
    show = resolve
  })
  const ask: AskUser = async (params) => {
    // The first request ends with the question.
    signal.removeEventListener('abort', leave)
    const turn = { asked: params, held: { call: id, turn: turns++ } }
    await ports.awaitedInputs.expect(answerTo(turn.held))
    if (turn.held.turn === 0) show(turn)
    else await ports.awaitedInputs.put(turnKey(turn.held), turn)
    return ((await takeWithin(ports, answerTo(turn.held), askMs, own.signal)) ?? cancelled) as JsonObject
  }
  const calling = call(ask, own.signal)
  const first = await Promise.race([calling.then((result): Turn => ({ result })), firstAsked])
  if ('result' in first) signal.removeEventListener('abort', leave)
  else {
    void calling
      .catch(() => failed('The call failed after the user had answered.', 'third_party_unavailable'))
      .then((result) => ports.awaitedInputs.put(turnKey({ call: id, turn: turns }), { result }))
      .catch(ignoreError('the repeated call reports that there is no answer'))
  }
  return first
}

/** The next turn of a held call. */
export async function goOn(
  ports: HeldPorts,
  { call, turn }: HeldAt,
  response: unknown,
  signal: AbortSignal,
): Promise<Turn> {
  const next = { call, turn: turn + 1 }
  const isHeld = await ports.awaitedInputs.answer(answerTo({ call, turn }), response)
  const found = isHeld ? await takeWithin(ports, turnKey(next), goOnMs, signal) : undefined
  return (found as Turn | undefined) ?? { result: lost }
}

const lost = failed(
  'The call ended before its answer: it was interrupted, or the user took too long. Check what it has done before you repeat it.',
  'third_party_unavailable',
)

export const cancelled = { action: 'cancel' }

export async function takeWithin(
  { awaitedInputs, now, pause }: HeldPorts,
  key: string,
  maxMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  for (const startedAt = now().getTime(); ; ) {
    const found = await awaitedInputs.take(key)
    if (found) return found.content
    const waitedMs = now().getTime() - startedAt
    if (signal.aborted || waitedMs >= maxMs) return undefined
    await pause(pollPauseMs(waitedMs))
  }
}

const answerTo = ({ call, turn }: HeldAt): string => `held|${call}|${turn}|answer`
const turnKey = ({ call, turn }: HeldAt): string => `held|${call}|${turn}`
