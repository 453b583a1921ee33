import type { Dispatcher, Pool } from 'undici'
import type { MeasuredProcess } from '../support/measured-process.ts'
import { percentiles } from '../support/percentiles.ts'

/** Latency of each call alone, in turns, so that a busy moment of the machine falls on all of them. */
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

const parallel = 32
const windowMs = 3_000
const turns = 3

type Server = { program: Pick<MeasuredProcess, 'cpuSeconds'>; pool: Pool }
type MakeRequest = (at: number) => Dispatcher.RequestOptions

/** Requests per second of each server, in turns: the best turn counts, and the first one only warms up. */
export async function throughput(servers: readonly Server[], requests: readonly MakeRequest[]) {
  const best = servers.map(() => ({ perSecond: 0, cpuMs: 0 }))
  const sent = servers.map(() => 0)
  const next = (at: number): number => {
    const number = sent[at] ?? 0
    sent[at] = number + 1
    return number
  }
  for (let turn = 0; turn <= turns; turn++) {
    for (const [at, server] of servers.entries()) {
      const rate = await oneTurn(server, () => (requests[at] as MakeRequest)(next(at)))
      if (turn > 0 && rate.perSecond > (best[at]?.perSecond ?? 0)) best[at] = rate
    }
  }
  return best
}

async function oneTurn({ program, pool }: Server, request: () => Dispatcher.RequestOptions) {
  const startedAt = performance.now()
  const cpuBefore = program.cpuSeconds()
  let done = 0
  const worker = async () => {
    while (performance.now() - startedAt < windowMs) {
      const { statusCode, body } = await pool.request(request())
      await body.dump()
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  const seconds = (performance.now() - startedAt) / 1000
  return { perSecond: done / seconds, cpuMs: ((program.cpuSeconds() - cpuBefore) * 1000) / done }
}
