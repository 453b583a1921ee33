// One onboarding program as several processes on one machine (WEB_CONCURRENCY).
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { linkPatiently } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { bundled } from '../support/processes/bundled-programs.ts'
import { type Fleet, type OnboardingProcess, startFleet } from '../support/processes/onboarding-process.ts'

let fleet: Fleet
let leader: OnboardingProcess
let metricsPort: number

beforeAll(async () => {
  fleet = await startFleet()
  metricsPort = await freePort()
  leader = await fleet.start({ WEB_CONCURRENCY: '3', METRICS_PORT: String(metricsPort) })
  await fleet.putTenant('acme')
}, 120_000)
afterAll(() => fleet.close())

const forks = (of = leader): number[] =>
  execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => parent === String(of.pid) && args.includes(bundled('onboarding/main')))
    .map(([pid]) => Number(pid))

const linkMany = (count: number) => Promise.all(Array.from({ length: count }, () => linkPatiently(fleet)))

async function figure(name: string, label = 'state="linked"'): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(label))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

test('they share the work, and their figures are added up', async () => {
  await linkMany(12)
  await untilQuiet(fleet)

  expect(forks()).toHaveLength(3)
  // A link is on record a moment before the process that wrote it down counts it.
  await expect.poll(() => figure('causeway_link_moves_total')).toBe(12)
  expect(await brokenPromises(fleet)).toEqual([])
}, 120_000)

test('one that is killed is replaced, links go on meanwhile, and what it had counted still counts', async () => {
  const before = forks()
  const startedAt = await figure('causeway_process_start_time_seconds', '')
  process.kill(before[0] as number, 'SIGKILL')

  await linkMany(8)
  await waitFor('there are three others', () => forks().filter((pid) => pid !== before[0]).length === 3)
  await untilQuiet(fleet)

  expect(forks()).not.toContain(before[0])
  await expect.poll(() => figure('causeway_processes_died_total', '')).toBe(1)
  await expect.poll(() => figure('causeway_link_moves_total')).toBe(20)
  // The program itself was not started anew.
  expect(startedAt).toBeGreaterThan(0)
  expect(await figure('causeway_process_start_time_seconds', '')).toBe(startedAt)
  expect(await brokenPromises(fleet)).toEqual([])
}, 120_000)

test('all of them end together when the program is asked to', async () => {
  const before = forks()

  const end = await leader.stop()

  expect(end).toEqual({ code: 0, signal: null })
  const left = execFileSync('ps', ['-eo', 'pid'], { encoding: 'utf8' }).split('\n').map(Number)
  expect(before.filter((pid) => left.includes(pid))).toEqual([])
})

test('what is wrong is said once, and nobody is left behind', async () => {
  const wrong = await fleet.launch({
    WEB_CONCURRENCY: '3',
    DATABASE_URL: 'postgres://nobody:wrong@127.0.0.1:1/none',
    START_WAIT_SECONDS: '1',
  })

  const { code } = await wrong.ended

  const said = wrong
    .output()
    .split('\n')
    .filter((line) => line.startsWith('onboarding:'))
  expect([code, said]).toEqual([1, [expect.stringMatching(/^onboarding: DATABASE_URL: no PostgreSQL answers there/)]])
})

test('one that is killed while it starts cannot say why, so the program does', async () => {
  const starting = await fleet.launch({
    WEB_CONCURRENCY: '3',
    DATABASE_URL: 'postgres://nobody:wrong@127.0.0.1:1/none',
    START_WAIT_SECONDS: '600',
  })
  const first = await waitFor('the first one starts', () => forks(starting)[0])

  process.kill(first, 'SIGKILL')
  const { code } = await starting.ended

  expect(code).toBe(1)
  expect(starting.output()).toContain('onboarding: a process was killed while it started (SIGKILL)')
})
