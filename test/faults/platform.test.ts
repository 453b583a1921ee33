// A platform that fails, loses answers, refuses, is away for long, and is slow.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { brokenPromises, untilQuiet } from '../support/checker.ts'
import { type Fleet, type OnboardingProcess, startFleet, untilLink } from '../support/onboarding-process.ts'
import { beginLink, finishLink, linkPatiently } from '../support/patient-user.ts'
import { waitFor } from '../support/wait-for.ts'

let fleet: Fleet
let program: OnboardingProcess

const ceiling = 1_000

beforeAll(async () => {
  fleet = await startFleet({ env: { BACKLOG_PER_TENANT: String(ceiling) } })
  program = await fleet.start()
  for (const tenant of ['acme', 'noisy', 'quiet', 'away']) await fleet.putTenant(tenant)
}, 120_000)
afterAll(() => fleet.close())
afterEach(async () => {
  fleet.platform.fault = undefined
  await untilQuiet(fleet, 60_000)
  expect(await brokenPromises(fleet)).toEqual([])
  fleet.platform.seen.length = 0
})

const postsTo = (path: RegExp) => fleet.platform.posts().filter((request) => path.test(request.path)).length

test('F10, 500 at first: the caller is told "pending", it is tried again, and one connection comes of it', async () => {
  fleet.platform.fault = ({ path }, count) => (/connections$/.test(path) && count <= 2 ? 500 : undefined)

  const begun = await beginLink(fleet)
  const { body } = await finishLink(fleet, begun)

  expect(body).toMatchObject({ status: 'pending', cause: { code: 'platform_unavailable' } })
  await untilLink(fleet, begun.minted, ['linked'], 60_000)
  expect(postsTo(/connections$/)).toBe(3)
}, 120_000)

test('F11, it was done and the answer was lost: what is there is recognised as ours', async () => {
  fleet.platform.fault = ({ method }, count) => (method === 'POST' && count === 1 ? 'drop' : undefined)

  const { minted } = await linkPatiently(fleet)

  await untilLink(fleet, minted, ['linked'], 60_000)
}, 120_000)

test('F11, the name belongs to somebody else: theirs is left alone, and support is asked', async () => {
  let taken = ''
  fleet.platform.fault = ({ method, path, workspace, body }) => {
    if (method !== 'POST' || !/connections$/.test(path) || !body) return undefined
    taken = `${workspace}/${body.metadata.name}`
    fleet.platform.connections.set(taken, { metadata: { name: body.metadata.name }, spec: { secret: 'theirs' } })
    return undefined
  }

  const { minted } = await linkPatiently(fleet)

  expect(await fleet.linkOf(minted)).toMatchObject({ state: 'needs_attention', cause: 'name_taken' })
  expect(fleet.platform.connections.get(taken)?.spec).toEqual({ secret: 'theirs' })
}, 120_000)

test('F12, five times 429 between the two: the connection is not asked for again, nobody asks before the time that was named, and another process finishes', async () => {
  const askAfterSeconds = 3 // longer than a lease, and than the first pauses of our own would be
  let asked = 0
  fleet.platform.fault = ({ path }) =>
    /functions$/.test(path) && ++asked <= 5 ? { status: 429, retryAfter: askAfterSeconds } : undefined
  const begun = await beginLink(fleet)
  await finishLink(fleet, begun)
  await waitFor('it is put off', async () => (await fleet.linkOf(begun.minted))?.cause === 'platform_unavailable')

  await program.kill()
  program = await fleet.start()

  await untilLink(fleet, begun.minted, ['linked'], 90_000)
  expect(postsTo(/connections$/)).toBe(1)
  const times = fleet.platform
    .posts()
    .filter(({ path }) => /functions$/.test(path))
    .map(({ at }) => at)
  const pauses = times.slice(1).map((at, index) => at - (times[index] as number))
  expect(pauses).toHaveLength(5)
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(askAfterSeconds * 1_000)
}, 120_000)

test.each([400, 401, 403, 422])(
  'F13, refused for good with %i: support is asked at once, and the grant is kept',
  async (status) => {
    fleet.platform.fault = () => status

    const { minted } = await linkPatiently(fleet)

    const link = await fleet.linkOf(minted)
    expect(link).toMatchObject({ state: 'needs_attention', cause: 'platform_refused' })
    expect(fleet.platform.posts()).toHaveLength(1)
    const { rows } = await fleet.sql.query('select 1 from escrow where link_id = $1', [link?.id])
    expect(rows).toHaveLength(1)
  },
  120_000,
)

test('F14, away for long: links are taken up to a ceiling, minting then answers 503, and all are finished afterwards', async () => {
  fleet.platformLine.refuse()
  await linkMany('away', ceiling)

  const full = await fleet.tryMint({ tenant: 'away' })
  const other = await fleet.tryMint()
  const readiness = await fetch(`${fleet.url}/readyz`)
  await fleet.platformLine.pass()
  // The waits between tries are over, as after hours.
  await fleet.sql.query("update links set due_at = now() where tenant = 'away' and state = 'escrowed'")

  expect([full.status, full.body.code]).toEqual([503, 'backlog_full'])
  expect(full.headers.get('retry-after')).toBe('60')
  expect(other.status).toBe(201)
  expect([readiness.status, await readiness.json()]).toMatchObject([200, { parts: { platform: 'not answering' } }])
  await untilQuiet(fleet, 240_000)
  expect(await statesOf('away')).toEqual({ linked: ceiling })
}, 400_000)

test('F23, a slow platform and a noisy tenant: the quiet one is not kept waiting', async () => {
  fleet.platformLine.refuse()
  await linkMany('noisy', ceiling)
  await linkMany('quiet', 5)
  // All are due at one moment, as after an outage that lasted.
  await fleet.sql.query("update links set due_at = now() where tenant in ('noisy', 'quiet') and state = 'escrowed'")
  fleet.platform.fault = () => ({ delayMs: 2_000 })
  const since = Date.now()
  await fleet.platformLine.pass()

  await waitFor('the quiet tenant is served', async () => (await statesOf('quiet')).linked === 5, { withinMs: 30_000 })

  expect(Date.now() - since).toBeLessThan(30_000)
  expect((await statesOf('noisy')).linked ?? 0).toBeLessThan(ceiling)
}, 180_000)

/** Twenty users at a time. */
async function linkMany(tenant: string, count: number) {
  const users = Array.from({ length: 20 }, async (_, at) => {
    for (let made = at; made < count; made += 20) await linkPatiently(fleet, { mint: { tenant } })
  })
  await Promise.all(users)
}

async function statesOf(tenant: string): Promise<Record<string, number>> {
  const { rows } = await fleet.sql.query(
    'select state, count(*)::int as links from links where tenant = $1 group by state',
    [tenant],
  )
  return Object.fromEntries(rows.map(({ state, links }) => [state, links]))
}
