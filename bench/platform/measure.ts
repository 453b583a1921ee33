import type { Load } from '../support/load.ts'
import type { LoadProcess } from '../support/load-process.ts'
import type { MeasuredProcess } from '../support/measured-process.ts'
import { percentiles } from '../support/percentiles.ts'

/** Latency of single calls. Alternates, so that other load on the machine affects all equally. */
export async function latency<Name extends string>(calls: Record<Name, () => Promise<unknown>>, rounds: number) {
  const entries = Object.entries(calls) as Array<[Name, () => Promise<unknown>]>
  const times = new Map(entries.map(([name]) => [name, [] as number[]]))
  for (let round = -20; round < rounds; round++) {
    for (const [name, call] of entries) {
      const startedAt = performance.now()
      await call()
      if (round >= 0) times.get(name)?.push(performance.now() - startedAt)
    }
  }
  const summary = [...times].map(([name, all]) => [name, percentiles(all)] as const)
  return Object.fromEntries(summary) as Record<Name, ReturnType<typeof percentiles>>
}

const atOnce = 32
const count = 3_000
const turns = 3

type Server = { program: Pick<MeasuredProcess, 'cpuSeconds' | 'port'> }
export type Rate = { perSecond: number; cpuMs: number }
type Request = Omit<Load, 'origin' | 'count' | 'atOnce' | 'from'>

/**
 * Requests per second of each server, sent by another process. Alternates, so that other load on the machine affects all
 * equally. The first turn warms up, and the best one counts.
 */
export async function throughput(load: LoadProcess, servers: readonly Server[], requests: readonly Request[]) {
  const best: Rate[] = servers.map(() => ({ perSecond: 0, cpuMs: 0 }))
  for (let turn = 0; turn <= turns; turn++) {
    for (const [at, { program }] of servers.entries()) {
      const rate = await oneTurn(load, program, { ...(requests[at] as Request), from: 1 + turn * count })
      if (turn > 0 && rate.perSecond > (best[at]?.perSecond ?? 0)) best[at] = rate
    }
  }
  return best
}

async function oneTurn(
  load: LoadProcess,
  program: Server['program'],
  request: Request & { from: number },
): Promise<Rate> {
  const before = program.cpuSeconds()
  const { perSecond } = await load.run({ ...request, origin: `http://127.0.0.1:${program.port}`, count, atOnce })
  return { perSecond, cpuMs: ((program.cpuSeconds() - before) * 1000) / count }
}
