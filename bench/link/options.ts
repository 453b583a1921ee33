import { parseArgs } from 'node:util'

export type LinkBench = {
  /** Links of one candidate in one round. */
  links: number
  rounds: number
  /** Browsers at the same time. */
  atOnce: number
  /** Links of one candidate in one round with nobody beside them. */
  alone: number
  /** Links before the first round: with fewer, the first rounds measure the compiler, and most of all ours. */
  warmUp: number
  /** Ours once more, on a ledger that holds so many connections before the first link. */
  stored: number
  /** Processes of ours on one port and one store. */
  processes: number
  /** Ours once more, with traces of a tenth of the links. */
  traced: boolean
  /** A checkout of ours from before, with its build in `dist/`, which is measured beside this one. */
  before: string | undefined
  /** Only ours: the others are not measured beside it. */
  ours: boolean
  /** Whether to list what each statement cost the database, which costs it a little more. */
  statements: boolean
  /** The file for the figures, for `npm run bench:compare`. */
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
      processes: number,
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
    processes: count(values.processes, 1),
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
