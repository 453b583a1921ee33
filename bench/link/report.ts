import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { percentiles, round } from '../support/percentiles.ts'
import { type Estimate, meanOf, ratioOf } from '../support/statistics.ts'
import type { LinkBench } from './options.ts'

type Percentiles = ReturnType<typeof percentiles>

/** One candidate in one round, per link. Includes other work of the shared stores. */
export type Round = {
  serverMs: number
  postgresMs: number
  redisMs: number
  walBytes: number
  commits: number
  redisCommands: number
  redisBytes: number
  perSecond: number
  startMs: Percentiles
  callbackMs: Percentiles
  aloneMs: Percentiles | undefined
  memoryMb: number
  failed: number
}

export type RoundsByCandidate = Record<string, Round[]>

/** Compared by bench:compare. */
export type LinkResult = {
  commit: string
  machine: string
  options: LinkBench
  figures: Record<string, Record<string, Estimate>>
  ratios: Record<string, Estimate>
}

const figures: Record<string, (round: Round) => number> = {
  'server CPU ms': ({ serverMs }) => serverMs,
  'PostgreSQL CPU ms': ({ postgresMs }) => postgresMs,
  'Redis CPU ms': ({ redisMs }) => redisMs,
  'one alone p50 ms': ({ aloneMs }) => aloneMs?.p50 ?? Number.NaN,
  'links/s': ({ perSecond }) => perSecond,
  'WAL bytes': ({ walBytes }) => walBytes,
  commits: ({ commits }) => commits,
  'Redis commands': ({ redisCommands }) => redisCommands,
  'bytes to Redis': ({ redisBytes }) => redisBytes,
}

export function report(options: LinkBench, measured: RoundsByCandidate): void {
  const result = resultOf(options, measured)
  console.log(result.machine)
  console.table(Object.fromEntries(Object.entries(result.figures).map(([name, all]) => [name, written(all)])))
  console.table(Object.fromEntries(Object.entries(measured).map(([name, rounds]) => [name, times(rounds)])))
  for (const [name, estimate] of Object.entries(result.ratios)) {
    console.log(`${name.padEnd(64)} ${between(estimate)}${bars[name] ? `   (the bar: ${bars[name]})` : ''}`)
  }
  if (options.json) writeFileSync(options.json, `${JSON.stringify(result, undefined, 2)}\n`)
}

const isOldNode = Number(process.versions.node.split('.')[0]) < 24

const bars: Record<string, string> = {
  'causeway / floor: server CPU': 'at most 2.2',
  'passport / causeway: server CPU': isOldNode ? 'at least 1.7' : 'at least 1.3',
  'causeway with its database / passport: CPU': 'at most 1.2',
  'causeway / passport: one link alone': isOldNode ? 'at most 1.6' : 'at most 1.8',
  'causeway traced / causeway: server CPU': 'at most 1.1',
  'causeway with connections stored / causeway: CPU with its database': 'at most 1.1',
}

function resultOf(options: LinkBench, measured: RoundsByCandidate): LinkResult {
  const named = Object.entries(measured).map(([name, rounds]) => [name, figuresOf(rounds)] as const)
  return {
    commit: commitOf(),
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}`,
    options,
    figures: Object.fromEntries(named),
    ratios: ratiosOf(measured),
  }
}

function commitOf(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown' // a copy without its history
  }
}

const figuresOf = (rounds: Round[]) =>
  Object.fromEntries(Object.entries(figures).map(([name, read]) => [name, meanOf(rounds.map(read))]))

function ratiosOf({
  causeway,
  causeway_traced: traced,
  causeway_before: before,
  causeway_stored: stored,
  ...others
}: RoundsByCandidate): Record<string, Estimate> {
  if (!causeway) return {}
  return {
    ...ratiosToOthers(causeway, others),
    ...(traced && { 'causeway traced / causeway: server CPU': ratioOf(server(traced), server(causeway)) }),
    ...(before && {
      'causeway / causeway before: server CPU': ratioOf(server(causeway), server(before)),
      'causeway / causeway before: PostgreSQL CPU': ratioOf(database(causeway), database(before)),
    }),
    ...(stored && {
      'causeway with connections stored / causeway: server CPU': ratioOf(server(stored), server(causeway)),
      'causeway with connections stored / causeway: CPU with its database': ratioOf(both(stored), both(causeway)),
    }),
  }
}

function ratiosToOthers(causeway: Round[], { floor, passport, passport_undici: undici }: RoundsByCandidate) {
  if (!floor || !passport || !undici) return {}
  const alone = (rounds: Round[]) => rounds.map(({ aloneMs }) => aloneMs?.p50 ?? Number.NaN)
  return {
    'causeway / floor: server CPU': ratioOf(server(causeway), server(floor)),
    'passport / causeway: server CPU': ratioOf(server(passport), server(causeway)),
    'passport with undici / causeway: server CPU': ratioOf(server(undici), server(causeway)),
    'causeway with its database / passport: CPU': ratioOf(both(causeway), server(passport)),
    'causeway / passport: one link alone': ratioOf(alone(causeway), alone(passport)),
  }
}

const server = (rounds: Round[]) => rounds.map(({ serverMs }) => serverMs)
const database = (rounds: Round[]) => rounds.map(({ postgresMs }) => postgresMs)
const both = (rounds: Round[]) => rounds.map(({ serverMs, postgresMs }) => serverMs + postgresMs)

const written = (all: Record<string, Estimate>) =>
  Object.fromEntries(Object.entries(all).map(([name, estimate]) => [name, plusMinus(estimate)]))

const digitsFor = (value: number) => (value >= 100 ? 0 : value >= 10 ? 1 : 2)

function plusMinus({ value, high }: Estimate): string {
  const digits = digitsFor(value)
  return `${round(value, digits)} ± ${round(high - value, digits)}`
}

export const between = ({ value, low, high }: Estimate): string => `${round(value)}   (${round(low)} to ${round(high)})`

function times(rounds: Round[]) {
  const middle = (read: (round: Round) => number) => round(percentiles(rounds.map(read)).p50, 1)
  const step = (name: 'startMs' | 'callbackMs') =>
    (['p50', 'p95', 'p99'] as const).map((p) => middle((each) => each[name][p])).join(' / ')
  return {
    'start p50/p95/p99 ms': step('startMs'),
    'callback p50/p95/p99 ms': step('callbackMs'),
    'memory MB': round(Math.max(...rounds.map(({ memoryMb }) => memoryMb)), 0),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  }
}
