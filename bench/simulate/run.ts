// `npm run simulate`: checks the promises in seeded schedules of links (docs/reference/faults.md, Simulation).
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { simulate } from '../../test/support/simulation/simulate.ts'
import { bugs } from './bugs.ts'
import type { Report, Share } from './worker.ts'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    bug: { type: 'string' },
  },
})
const workers = availableParallelism()
const [from, count] = [Number(values.from), Number(values.schedules)]
const say = (text: string) => void process.stdout.write(`${text}\n`)

/** Stops at the first broken promise if `isSeeded`, because one finds the bug. */
async function run(seeds: Omit<Share, 'step'>, bug?: string, onReport: (report: Report) => void = () => {}) {
  const total: Report = { done: 0, turns: 0, broken: [] }
  const loader = new URL('./seed-bug.js', import.meta.url).href
  const execArgv = bug === undefined ? [] : ['--import', loader]
  const children = Array.from({ length: workers }, (_, at) => {
    const child = fork(new URL('./worker.js', import.meta.url), {
      execArgv,
      env: { ...process.env, ...(bug !== undefined && { SEEDED_BUG: bug }) },
    })
    child.send({ ...seeds, from: seeds.from + at, step: workers } satisfies Share)
    return child
  })
  const endings = children.map((child) => {
    child.on('message', (report: Report) => {
      total.done += report.done
      total.turns += report.turns
      total.broken.push(...report.broken)
      onReport(total)
      if (bug !== undefined && total.broken.length > 0) for (const each of children) each.kill()
    })
    return new Promise<number | null>((resolve) => child.once('exit', resolve))
  })
  const codes = await Promise.all(endings)
  if (codes.some((code) => code !== null && code !== 0)) throw new Error('a worker failed')
  return total
}

async function replay(seed: number): Promise<boolean> {
  const { trace, violations, audit } = await simulate(seed)
  for (const line of trace) say(line)
  for (const line of audit) say(`audit: ${line}`)
  for (const violation of violations) say(`broken: ${violation}`)
  return violations.length === 0
}

async function search(): Promise<boolean> {
  const began = performance.now()
  let shown = 0
  const total = await run({ from, to: from + count }, undefined, ({ done }) => {
    if (done - shown < count / 10) return
    shown = done
    process.stderr.write(`${done} of ${count} schedules\n`)
  })
  const minutes = (performance.now() - began) / 60_000
  for (const { seed, violations } of total.broken) say(`seed ${seed}: ${violations.join('; ')}`)
  say(
    `${total.done} schedules, ${Math.round(total.turns / total.done)} turns each, ` +
      `${Math.round(total.done / minutes)} a minute, ${total.broken.length} broken`,
  )
  return total.broken.length === 0
}

async function findBugs(names: string[]): Promise<boolean> {
  let missed = 0
  for (const name of names) {
    const { broken, done } = await run({ from, to: from + count }, name)
    const first = broken.sort((a, b) => a.seed - b.seed)[0]
    if (!first) missed++
    say(first ? `found   ${name}: seed ${first.seed}, ${first.violations[0]}` : `missed  ${name}: ${done} schedules`)
  }
  say(`${names.length - missed} of ${names.length} seeded bugs found`)
  return missed === 0
}

const isFine =
  values.bug !== undefined
    ? findBugs([values.bug])
    : values.bugs
      ? findBugs(Object.keys(bugs))
      : values.seed === undefined
        ? search()
        : replay(Number(values.seed))
process.exitCode = (await isFine) ? 0 : 1
