// `npm run bench:compare -- before.json after.json`: compares two results of `npm run bench:link -- --json <file>`.
// Times of two runs depend on the machine. Ratios within a run and counts do not.
import { readFileSync } from 'node:fs'
import { between, type LinkResult } from '../link/report.ts'
import { round } from '../support/percentiles.ts'
import type { Estimate } from '../support/statistics.ts'

const [before, after] = process.argv.slice(2).map(read)
if (!before || !after) throw new Error('two files are needed: before and after')

console.log(`before: ${describe(before)}\nafter:  ${describe(after)}`)
console.table(compared(before.ratios, after.ratios))
for (const [name, figures] of Object.entries(after.figures)) {
  console.log(name)
  console.table(compared(before.figures[name] ?? {}, figures))
}

function read(file: string): LinkResult {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function describe({ commit, machine, options }: LinkResult): string {
  return `${commit}, ${machine}, ${options.rounds} rounds of ${options.links}, ${options.stored} stored`
}

function compared(then: Record<string, Estimate>, now: Record<string, Estimate>) {
  const rows = Object.entries(now).flatMap(([name, after]) => {
    const before = then[name]
    return before ? [[name, row(before, after)] as const] : []
  })
  return Object.fromEntries(rows)
}

const row = (before: Estimate, after: Estimate) => ({
  before: between(before),
  after: between(after),
  change: `${round((after.value / before.value - 1) * 100, 1)} %`,
  // Overlapping intervals may be the same value.
  'told apart': after.low > before.high || after.high < before.low ? 'yes' : 'no',
})
