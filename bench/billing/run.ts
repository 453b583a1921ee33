// `npm run bench:billing [-- --events 1000000]`: measures queries over a year of usage, and ingestion during queries.
import { parseArgs } from 'node:util'
import { benchAccount, fillWeeks, workspaces, year } from './events.ts'
import { type Line, measure } from './measure.ts'

const { values } = parseArgs({
  options: { events: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '60' } },
})
const events = Number(values.events)
const account = await benchAccount()

try {
  const startedAt = performance.now()
  process.stdout.write(`building ${events} events over a year in ${workspaces} workspaces …\n`)
  await account.fillAtOnce('year-', events, 5, year)
  await fillWeeks(account)
  await account.settle()
  process.stdout.write(`built in ${Math.round((performance.now() - startedAt) / 1000)} s\n`)
  report(await measure(account, Number(values.rounds)))
} finally {
  await account.stop()
}

function report(lines: readonly Line[]): void {
  for (const { what, measured, bar, holds } of lines) {
    process.stdout.write(`${what.padEnd(42)} ${measured}  ${holds ? 'holds' : 'MISSED'} (${bar})\n`)
  }
  if (lines.some(({ holds }) => !holds)) process.exitCode = 1
}
