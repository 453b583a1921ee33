import { parseArgs } from 'node:util'

export type LinkBench = {
  /** Links per candidate and round. */
  links: number
  rounds: number
  /** Concurrent browsers. */
  atOnce: number
  /** Links per candidate and round without concurrency. */
  alone: number
  /** Links before the first round. With fewer, the first rounds measure the JIT compiler, mostly for ours. */
  warmUp: number
  /** Also measure ours with this many connections in the ledger. */
  stored: number
  /** Also measure ours with traces for a tenth of the links. */
  traced: boolean
  /** An older checkout with a build in `dist/`, measured as well. */
  before: string | undefined
  /** Measure only ours. */
  ours: boolean
  /** List the cost of each statement, which adds a little to the cost. */
  statements: boolean
  /** Output file for `npm run bench:compare`. */
  json: string | undefined
}

/** `npm run bench:link -- 300 --rounds 6 --stored 1000000 --json before.json` */
export function linkBench(args: readonly string[]): LinkBench {
  const number = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: number,
      'at-once': number,
      alone: number,
      'warm-up': number,
      stored: number,
      traced: { type: 'boolean' },
      before: { type: 'string' },
      ours: { type: 'boolean' },
      statements: { type: 'boolean' },
      json: { type: 'string' },
    },
  })
  return {
    links: count(positionals[0], 1_000),
    rounds: count(values.rounds, 12),
    atOnce: count(values['at-once'], 16),
    alone: count(values.alone, 100),
    warmUp: count(values['warm-up'], 3_000),
    stored: count(values.stored, 0),
    traced: values.traced ?? false,
    before: values.before,
    ours: values.ours ?? false,
    statements: values.statements ?? false,
    json: values.json,
  }
}

function count(text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`not a number of anything: ${text}`)
  return value
}
