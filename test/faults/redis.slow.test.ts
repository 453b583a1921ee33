// Redis is down, killed, failed over, full or loading (frozen: redis-hangs.slow.test.ts). It holds only state that a user can create again.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startCuttingProxy } from '../support/doubles/cutting-proxy.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { answered, beginLink, finishLink, linkPatiently } from '../support/http/patient-user.ts'
import { brokenPromises } from '../support/oracles/checker.ts'
import { startStopwatch, type TimedAnswer } from '../support/oracles/stopwatch.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { startKillableRedis } from '../support/processes/killable-stores.ts'
import { type Fleet, type OnboardingProcess, startFleet, untilLink } from '../support/processes/onboarding-process.ts'

let fleet: Fleet
let program: OnboardingProcess

beforeAll(async () => {
  fleet = await startFleet({ env: { VERIFY_FUNCTIONS: 'false' } })
  program = await fleet.start()
  await fleet.putTenant('acme')
}, 120_000)
afterAll(() => fleet.close())
afterEach(async () => {
  expect(await brokenPromises(fleet)).toEqual([])
  fleet.provider.calm()
})

const readiness = async () => (await fetch(`${fleet.url}/readyz`)).status
const ready = () => waitFor('readiness', async () => (await readiness()) === 200)

async function expectLinks() {
  const { minted } = await linkPatiently(fleet)
  await untilLink(fleet, minted, ['linked'])
}

test('F01, down at start: the process stays up, reports what is missing, and continues when Redis comes up', async () => {
  const { minted } = await fleet.tryMint()
  const begun = await beginLink(fleet)
  const link = await fleet.linkOf(begun.minted)
  await fleet.redis.kill()
  const early = await fleet.launch()
  onTestFinished(() => leadTo(program))
  await leadTo(early)
  const stopwatch = await startStopwatch(() => new HttpBrowser().get(minted.url))
  onTestFinished(stopwatch.stop)
  const visitor = new HttpBrowser()
  // The link is written, and its browser continues it.
  expect((await visitor.post(minted.url)).status).toBe(503)

  const answers: TimedAnswer<{ status: number }>[] = []
  // Long enough for the client to reach its longest backoff.
  for (const until = Date.now() + 20_000; Date.now() < until; await pause(500)) {
    const asked = [
      () => fetch(`${fleet.url}/readyz`),
      () => fleet.tryMint(),
      () => visitor.post(minted.url),
      () => begun.browser.get(begun.callback),
      () => visitor.get(minted.url),
      () => begun.browser.get(`${fleet.url}/links/${link?.id}`),
    ]
    answers.push(...(await Promise.all(asked.map((ask) => stopwatch.time<{ status: number }>(ask)))))
  }
  await fleet.redis.start()
  const first = await stopwatch.time(() => linkPatiently(fleet))

  // Pages that need only the ledger are served: the connect page and the link page.
  const each = [503, 503, 503, 503, 200, 200]
  expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map((_, nth) => each[nth % each.length]))
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(1_000)
  expect((await fleet.linkOf(first.answer.minted))?.state).toBe('linked')
  expect(first.ms).toBeLessThan(3_000)
  await early.ready
  expect(await early.stop()).toEqual({ code: 0, signal: null })
  expect(early.output()).not.toMatch(/unhandled|uncaught/i)
  const reports = early.output().match(/"program\.not_ready".*/g) ?? []
  // Only changes: on a busy machine the database may not answer at first, either.
  expect(reports.length).toBeGreaterThan(0)
  expect(
    reports.filter((report, at) => !report.includes('redis: not answering') || report === reports[at - 1]),
  ).toEqual([])
  await leadTo(program)
  await expectLinks()
}, 120_000)

test('a restart with all stores up delays probes instead of failing them', async () => {
  const restarted = await fleet.launch()
  const answers: Array<{ status: number; ms: number }> = []
  const isStarted = restarted.ready.then(() => true)
  // It listens before it has connected to any store.
  while (!(await Promise.race([isStarted, pause(1, false)])) || answers.length === 0) {
    const since = performance.now()
    const answer = await fetch(`${restarted.url}/readyz`).catch(() => undefined)
    if (answer) answers.push({ status: answer.status, ms: performance.now() - since })
  }
  await restarted.stop()

  // On a busy machine a start may take longer than a probe waits.
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.filter(({ ms }) => ms < 490)).toEqual([])
  expect(/request\.failed|program\.not_ready/.test(restarted.output())).toBe(refused.length > 0)
}, 120_000)

/** Kept-alive connections lead to the previous process. */
async function leadTo({ port }: OnboardingProcess) {
  fleet.front.toward(port)
  fleet.front.cutOpen()
  await answered('it lives', () => fetch(`${fleet.url}/healthz`))
}

test('F02, killed after consent, with its file: the user gets 503, and the flow continues afterwards', async () => {
  const begun = await beginLink(fleet)
  await fleet.redis.kill()
  const meanwhile = await begun.browser.get(begun.callback)
  await fleet.redis.start()
  await ready()

  const completed = await finishLink(fleet, begun)

  expect(meanwhile.status).toBe(503)
  expect(meanwhile.headers.get('retry-after')).toBe('5')
  expect(completed.body).toMatchObject({ status: 'linked' })
}, 120_000)

test('F02, killed after consent, without its file: the user starts again, and the code is not exchanged', async () => {
  const { browser, callback } = await beginLink(fleet)
  await fleet.redis.kill()
  fleet.redis.forget()
  await fleet.redis.start()
  await ready()

  const late = await browser.get(callback)

  expect(late.status).toBe(410)
  expect(fleet.provider.seen.tokenRequests).toEqual([])
  await expectLinks()
}, 120_000)

test('F05, a failover that loses acknowledged writes costs a new start, but no link, escrow or audit row', async () => {
  const replication = await startCuttingProxy(fleet.redis.port)
  onTestFinished(() => replication.close())
  const replica = await startReplica(replication.port)
  const kept = await beginLink(fleet)
  const written = await offsetOf(fleet.redis, 'master_repl_offset')
  await waitFor('the state arrived', async () => (await offsetOf(replica, 'slave_repl_offset')) >= written)
  replication.blackhole()
  const lost = await beginLink(fleet)
  await fleet.redis.kill()
  try {
    await replica.command('replicaof', 'no', 'one')
    fleet.redisLine.toward(replica.port)
    await ready()

    const restarted = await lost.browser.get(lost.callback)
    const finished = await finishLink(fleet, kept)

    expect(restarted.status).toBe(410)
    expect(finished.body).toMatchObject({ status: 'linked' })
  } finally {
    await fleet.redis.start()
  }
}, 120_000)

test('F06, the primary becomes a replica under live clients: the rejected command is not resent, and the next one succeeds within two seconds', async () => {
  const { minted } = await fleet.tryMint()
  const stopwatch = await startStopwatch(() => new HttpBrowser().get(minted.url))
  onTestFinished(stopwatch.stop)
  const other = await startReplica(fleet.redis.port)
  await other.command('replicaof', 'no', 'one')
  await fleet.redis.command('replicaof', '127.0.0.1', String(other.port))
  onTestFinished(async () => void (await fleet.redis.command('replicaof', 'no', 'one')))
  fleet.redisLine.toward(other.port)
  const before = await statesIn(other)

  const visitor = new HttpBrowser()
  const refused = await visitor.post(minted.url)
  const back = await stopwatch.time(() => answered('minted again', () => fleet.tryMint()))

  expect(refused.status).toBe(503)
  expect(back.ms).toBeLessThan(2_000)
  // A resent start would have left an unused state.
  expect(await statesIn(other)).toEqual(before)
  expect((await visitor.post(minted.url)).status).toBe(200)
  await expectLinks()
}, 120_000)

type AnyRedis = Pick<typeof fleet.redis, 'command'>

/** Ignores counters of requests, which come and go. */
const statesIn = async (redis: AnyRedis) =>
  ((await redis.command('keys', 'onboarding:authorization:*')) as string[]).sort()

/** The replication offset. */
async function offsetOf(redis: AnyRedis, which: string): Promise<number> {
  const [, offset] = String(await redis.command('info', 'replication')).match(new RegExp(`${which}:(\\d+)`)) ?? []
  return Number(offset)
}

/** A second Redis with the same data. Afterwards the program uses the first one again. */
async function startReplica(primary: number) {
  const settings = { replicaof: `127.0.0.1 ${primary}`, masterauth: fleet.redis.password }
  const replica = await startKillableRedis(settings, fleet.redis.password)
  onTestFinished(async () => {
    fleet.redisLine.toward(fleet.redis.port)
    fleet.redisLine.cutOpen()
    await ready()
    await replica.stop()
  })
  await waitFor('replication', async () =>
    /master_link_status:up/.test(String(await replica.command('info', 'replication'))),
  )
  return replica
}

test('F07, full: new links are rejected, links in progress finish, and no key is evicted', async () => {
  const { minted } = await fleet.tryMint()
  const begun = await beginLink(fleet)
  const states = await statesIn(fleet.redis)
  onTestFinished(async () => void (await fleet.redis.command('config', 'set', 'maxmemory', '0')))
  await fleet.redis.command('config', 'set', 'maxmemory', '1')

  const [mint, start] = [await fleet.tryMint(), await new HttpBrowser().post(minted.url)]
  const finished = await finishLink(fleet, begun)
  const again = await begun.browser.get(begun.callback)

  expect([mint.status, mint.body.code, start.status]).toEqual([503, 'store_unavailable', 503])
  expect(start.headers.get('refresh')).toBeNull()
  expect(finished.body).toMatchObject({ status: 'linked' })
  expect(again.status).toBe(303)
  expect(fleet.provider.seen.tokenRequests).toHaveLength(1)
  expect(await statesIn(fleet.redis)).toEqual(states)
  expect(String(await fleet.redis.command('info', 'stats'))).toMatch(/evicted_keys:0\s/)
}, 120_000)

test('F07, a Redis that evicts keys is rejected at start, in one sentence', async () => {
  onTestFinished(async () => void (await fleet.redis.command('config', 'set', 'maxmemory-policy', 'noeviction')))
  await fleet.redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru')

  const refused = await fleet.launch()
  const end = await refused.ended

  expect(end.code).toBe(1)
  expect(refused.output()).toContain('set maxmemory-policy noeviction')
}, 120_000)

test('F09, still loading: treated as down, not as empty', async () => {
  const begun = await beginLink(fleet)
  // Redis loads slowly per command, so one key that was written often takes half a minute.
  await fleet.redis.command('eval', "for i = 1, 15000 do redis.call('SET', 'fill', i) end", '0')
  await fleet.redis.kill()
  const started = fleet.redis.start({ 'key-load-delay': '2000' })
  await waitFor('it loads', async () => {
    const word = await fleet.redis.command('ping').catch((error: Error) => error.message)
    return String(word).startsWith('LOADING')
  })

  const [meanwhile, whether] = [await begun.browser.get(begun.callback), await readiness()]
  await fleet.redis.command('config', 'set', 'key-load-delay', '0')
  await started
  await ready()
  const finished = await finishLink(fleet, begun)

  expect([meanwhile.status, whether]).toEqual([503, 503])
  expect(finished.body).toMatchObject({ status: 'linked' })
}, 120_000)

test('the process was never restarted', () => {
  expect(program.running()).toBe(true)
})
