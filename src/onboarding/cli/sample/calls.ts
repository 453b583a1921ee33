// The calls that a link of the sample made to other servers, by how far it got.
import type { Cause } from '../../domain/cause.ts'
import type { LinkState } from '../../domain/link.ts'
import type { OutsideCall, OutsideCallName } from '../../domain/trace/outside-call.ts'
import { later } from './draft.ts'

type LinkCourse = {
  at: Date
  state: LinkState
  cause: Cause | undefined
  /** The states that it passed. */
  passed: readonly LinkState[]
  /** Of a step that is tried again. */
  attempts: number
}

/** What leads to a state, and about how long it takes. */
const callsTo: Partial<Record<LinkState, ReadonlyArray<[call: OutsideCallName, ms: number]>>> = {
  escrowed: [['token', 310]],
  tested: [['refresh', 280]],
  connection_ready: [['connection_create', 45]],
  function_ready: [['function_create', 590]],
  linked: [['verification', 120]],
}

export function sampleCalls({ at, state, cause, passed, attempts }: LinkCourse): OutsideCall[] {
  const exchangedAt = later(at, 39)
  const done = [...passed, state].flatMap((each) => callsTo[each] ?? [])
  const calls = done.map(
    ([call, ms], position): OutsideCall => ({
      call,
      at: later(exchangedAt, position),
      status: 200,
      durationMs: ms,
      attempt: 1,
    }),
  )
  if (state === 'exchange_unknown') return [{ ...first(exchangedAt), error: 'timeout', durationMs: 10_000 }]
  if (state === 'failed' && done.length === 0) {
    return [{ ...first(exchangedAt), status: cause === 'provider_unavailable' ? 503 : 400, durationMs: 180 }]
  }
  return [...calls, ...refused(later(exchangedAt, calls.length), attempts)]
}

const first = (at: Date) => ({ call: 'token', at, attempt: 1 }) as const

/** A platform that was away, once for each try. */
const refused = (at: Date, attempts: number): OutsideCall[] =>
  Array.from({ length: attempts }, (_, tried) => ({
    call: 'connection_create',
    at: later(at, tried * 30),
    status: 503,
    durationMs: 25,
    attempt: tried + 1,
  }))
