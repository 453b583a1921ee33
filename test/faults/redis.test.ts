// Redis down, killed, frozen, failed over, full and slow to start. It holds only what a user can begin again.
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { brokenPromises } from '../support/checker.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { HttpBrowser } from '../support/http-browser.ts'
import { startKillableRedis } from '../support/killable-stores.ts'
import { type Fleet, type OnboardingProcess, startFleet } from '../support/onboarding-process.ts'
import { answered, beginLink, finishLink, linkPatiently } from '../support/patient-user.ts'
import { waitFor } from '../support/wait-for.ts'

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
  expect((await fleet.linkOf(minted))?.state).toBe('linked')
}

test('F01, down at start: the program lives, says what is missing, and goes on by itself when Redis comes', async () => {
  await fleet.redis.kill()
  const early = await fleet.launch()
  await waitFor('it listens', () =>
    fetch(`${early.url}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  )

  const [readyz, mint] = [await fetch(`${early.url}/readyz`), await fleet.tryMint({}, early.url)]
  await fleet.redis.start()
  await early.ready

  expect([readyz.status, mint.status]).toEqual([503, 503])
  expect((await fleet.tryMint({}, early.url)).status).toBe(201)
  expect(await early.stop()).toEqual({ code: 0, signal: null })
  await expectLinks()
}, 120_000)

test('F02, killed after consent: with its file the flow goes on, and meanwhile the user is asked to wait', async () => {
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

test('F02, killed after consent and empty afterwards: the user starts again, and the code is not exchanged', async () => {
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

test('F03, frozen: every request is answered soon, none piles up, and work goes on afterwards', async () => {
  const { minted } = await fleet.tryMint()
  const { callback, browser } = await beginLink(fleet)
  fleet.redis.freeze()
  const asked = Array.from({ length: 30 }, (_, at) =>
    timed(at % 3 === 0 ? fleet.tryMint() : at % 3 === 1 ? new HttpBrowser().post(minted.url) : browser.get(callback)),
  )

  const answers = await Promise.all(asked)
  fleet.redis.thaw()
  await ready()

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(1_500)
  await expectLinks()
}, 120_000)

test('F05, a failover that loses acknowledged writes costs a fresh start, and no link, escrow or audit row', async () => {
  const replication = await startCuttingProxy(fleet.redis.port)
  onTestFinished(() => replication.close())
  const replica = await startReplica(replication.port)
  const kept = await beginLink(fleet)
  await waitFor('the state arrived', async () => Number(await replica.command('dbsize')) > 0)
  replication.blackhole()
  const lost = await beginLink(fleet)
  await fleet.redis.kill()
  await replica.command('replicaof', 'no', 'one')
  fleet.redisLine.toward(replica.port)
  await ready()

  const restarted = await lost.browser.get(lost.callback)
  const finished = await finishLink(fleet, kept)

  expect(restarted.status).toBe(410)
  expect(finished.body).toMatchObject({ status: 'linked' })
  await fleet.redis.start()
}, 120_000)

test('F06, the primary becomes a replica under live clients: one is told to wait, and the next one passes', async () => {
  const other = await startReplica(fleet.redis.port)
  await other.command('replicaof', 'no', 'one')
  await fleet.redis.command('replicaof', '127.0.0.1', String(other.port))
  onTestFinished(async () => void (await fleet.redis.command('replicaof', 'no', 'one')))
  fleet.redisLine.toward(other.port)
  const since = Date.now()

  const refused = await fleet.tryMint()
  await answered('minted again', () => fleet.tryMint())

  expect(refused.status).toBe(503)
  // A second or two where nothing else runs; what must not happen is that a client stays with the wrong one.
  expect(Date.now() - since).toBeLessThan(15_000)
  await expectLinks()
}, 120_000)

/** Another Redis with all that ours has. Afterwards the program talks to ours again. */
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

test('F07, full: nothing new begins, what is under way finishes, and nothing is evicted', async () => {
  const { minted } = await fleet.tryMint()
  const begun = await beginLink(fleet)
  const keys = Number(await fleet.redis.command('dbsize'))
  await fleet.redis.command('config', 'set', 'maxmemory', '1')

  const [mint, start] = [await fleet.tryMint(), await new HttpBrowser().post(minted.url)]
  const finished = await finishLink(fleet, begun)
  const again = await begun.browser.get(begun.callback)

  expect([mint.status, mint.body.code, start.status]).toEqual([503, 'store_unavailable', 503])
  expect(start.headers.get('refresh')).toBeNull()
  expect(finished.body).toMatchObject({ status: 'linked' })
  expect(again.status).toBe(303)
  expect(fleet.provider.seen.tokenRequests).toHaveLength(1)
  expect(Number(await fleet.redis.command('dbsize'))).toBe(keys)
  await fleet.redis.command('config', 'set', 'maxmemory', '0')
}, 120_000)

test('F07, one that evicts keys is refused at start, in one sentence', async () => {
  await fleet.redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru')

  const refused = await fleet.launch()
  const end = await refused.ended
  await fleet.redis.command('config', 'set', 'maxmemory-policy', 'noeviction')

  expect(end.code).toBe(1)
  expect(refused.output()).toContain('set maxmemory-policy noeviction')
}, 120_000)

test('F09, still loading: it counts as away and not as empty', async () => {
  const begun = await beginLink(fleet)
  await fleet.redis.command('eval', "for i = 1, 6000 do redis.call('SET', 'fill:' .. i, i) end", '0')
  await fleet.redis.kill()
  const started = fleet.redis.start({ 'key-load-delay': '500' })
  await waitFor('it loads', async () => {
    const word = await fleet.redis.command('ping').catch((error: Error) => error.message)
    return String(word).startsWith('LOADING')
  })

  const [meanwhile, whether] = [await begun.browser.get(begun.callback), await readiness()]
  await started
  await ready()
  const finished = await finishLink(fleet, begun)

  expect([meanwhile.status, whether]).toEqual([503, 503])
  expect(finished.body).toMatchObject({ status: 'linked' })
}, 120_000)

test('through all of this it was one and the same process', () => {
  expect(program.running()).toBe(true)
})

async function timed(asked: Promise<{ status: number }>): Promise<{ status: number; ms: number }> {
  const since = performance.now()
  const { status } = await asked
  return { status, ms: performance.now() - since }
}
