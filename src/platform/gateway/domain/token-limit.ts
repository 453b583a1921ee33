import type { TokenCounts } from './model-usage.ts'

/** How many tokens a model may use in each window of `step` units. Windows are aligned to UTC. */
export type TokenLimit = {
  policy: string
  granularity: 'minute' | 'hour' | 'day' | 'month'
  step: number
  input?: number | undefined
  output?: number | undefined
  total?: number | undefined
}

/** `span` names the length of the window, and `number` counts windows of this length. */
export type TokenWindow = { span: string; number: number; endsAt: Date }

export type TokenUse = {
  used(model: string, window: TokenWindow): Promise<TokenCounts>
  add(model: string, windows: readonly TokenWindow[], count: TokenCounts): Promise<void>
}

const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

export function windowOf({ granularity, step }: TokenLimit, now: Date): TokenWindow {
  const span = `${step} ${granularity}`
  if (granularity === 'month') {
    const months = (now.getUTCFullYear() - 1970) * 12 + now.getUTCMonth()
    const number = Math.floor(months / step)
    return { span, number, endsAt: dateAt(Date.UTC(1970, (number + 1) * step)) }
  }
  const ms = unitMs[granularity] * step
  const number = Math.floor(now.getTime() / ms)
  return { span, number, endsAt: dateAt((number + 1) * ms) }
}

/** The latest time of a Date (ECMA-262, section 21.4.1.1). */
const maxMs = 8.64e15

const dateAt = (ms: number) => new Date(ms <= maxMs ? ms : maxMs)

/** Several limits may share a window, in which a call counts once. */
export const windowsOf = (limits: readonly TokenLimit[], now: Date): TokenWindow[] => [
  ...new Map(limits.map((limit) => windowOf(limit, now)).map((window) => [window.span, window])).values(),
]

/** The limit that is reached, such as `100 output tokens`. */
export function reached(limit: TokenLimit, { input, output }: TokenCounts): string | undefined {
  const used = { input, output, total: input + output }
  const kind = (['input', 'output', 'total'] as const).find((each) => used[each] >= (limit[each] ?? Infinity))
  return kind && `${limit[kind]} ${kind === 'total' ? '' : `${kind} `}tokens`
}
