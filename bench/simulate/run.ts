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
    bug: { type: 'string', multiple: true },
  },
})
const workers = availableParallelism()
const [from, count] = [Number(values.from), Number(values.schedules)]
const say = (text: string) => void process.stdout.write(`${text}\n`)

/** In one process for each share. With `bug`, the code has that bug, and the share ends at the first broken promise. */
async function run(share: Share, onReport: (report: Report) => void, bug?: string): Promise<void> {
  const loader = new URL('./seed-bug.js', import.meta.url).href
  const child = fork(new URL('./worker.js', import.meta.url), {
    execArgv: bug === undefined ? [] : ['--import', loader],
    env: { ...process.env, ...(bug !== undefined && { SEEDED_BUG: bug }) },
  })
  child.on('message', onReport)
  child.send(share)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error('a worker failed')
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
  const total: Report = { done: 0, turns: 0, broken: [] }
  let shown = 0
  const onReport = ({ done, turns, broken }: Report) => {
    total.done += done
    total.turns += turns
    total.broken.push(...broken)
    if (total.done - shown < count / 10) return
    shown = total.done
    process.stderr.write(`${shown} of ${count} schedules\n`)
  }
  const share = { to: from + count, step: workers, untilBroken: false }
  await Promise.all(Array.from({ length: workers }, (_, at) => run({ ...share, from: from + at }, onReport)))
  const minutes = (performance.now() - began) / 60_000
  for (const { seed, violations } of total.broken) say(`seed ${seed}: ${violations.join('; ')}`)
  say(
    `${total.done} schedules, ${Math.round(total.turns / total.done)} turns each, ` +
      `${Math.round(total.done / minutes)} a minute, ${total.broken.length} broken`,
  )
  return total.broken.length === 0
}

/** One process for each bug, so that the number of schedules is the same on every machine. */
async function findBugs(names: string[]): Promise<boolean> {
  const began = performance.now()
  const waiting = [...names]
  let found = 0
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      let first: Report['broken'][number] | undefined
      const share = { from, to: from + count, step: 1, untilBroken: true }
      const onReport = ({ broken }: Report) => {
        first ??= broken[0]
      }
      await run(share, onReport, name)
      if (first) found++
      say(
        first
          ? `| ${name} | ${first.seed - from + 1} | ${first.violations[0]?.split('\n')[0]} |`
          : `| ${name} | not in ${count} | |`,
      )
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  const minutes = Math.ceil((performance.now() - began) / 60_000)
  say(`${found} of ${names.length} seeded bugs found in ${minutes} minutes`)
  return found === names.length
}

const isFine =
  values.bug !== undefined
    ? findBugs(values.bug)
    : values.bugs
      ? findBugs(Object.keys(bugs))
      : values.seed === undefined
        ? search()
        : replay(Number(values.seed))
process.exitCode = (await isFine) ? 0 : 1
