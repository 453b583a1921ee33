// The platform fails, loses responses and rejects requests. Long outages: platform-away-for-long.slow.test.ts.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { beginLink, finishLink, linkPatiently } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
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
  fleet.platform.fault = undefined
  await untilQuiet(fleet, 120_000)
  expect(await brokenPromises(fleet)).toEqual([])
  fleet.platform.seen.length = 0
}, 180_000)

const postsTo = (path: RegExp) => fleet.platform.posts().filter((request) => path.test(request.path)).length

test('F10, 500 at first: the caller gets "pending", the request is retried, and one connection is created', async () => {
  fleet.platform.fault = ({ path }, count) => (/connections$/.test(path) && count <= 2 ? 500 : undefined)

  const begun = await beginLink(fleet)
  const { body } = await finishLink(fleet, begun)

  expect(body).toMatchObject({ status: 'pending', cause: { code: 'platform_unavailable' } })
  await untilLink(fleet, begun.minted, ['linked'], 60_000)
  expect(postsTo(/connections$/)).toBe(3)
}, 120_000)

test('F11, the response is lost after the work was done: existing resources are recognized as ours', async () => {
  fleet.platform.fault = ({ method }, count) => (method === 'POST' && count === 1 ? 'drop' : undefined)

  const { minted } = await linkPatiently(fleet)

  await untilLink(fleet, minted, ['linked'], 60_000)
}, 120_000)

test('F11, the name belongs to another owner: their resource is not changed, and the link needs attention', async () => {
  let taken = ''
  fleet.platform.fault = ({ method, path, workspace, body }) => {
    if (method !== 'POST' || !/connections$/.test(path) || !body) return undefined
    taken = `${workspace}/${body.metadata.name}`
    fleet.platform.connections.set(taken, { metadata: { name: body.metadata.name }, spec: { secret: 'theirs' } })
    return undefined
  }

  const { minted } = await linkPatiently(fleet)

  expect(await untilLink(fleet, minted, ['needs_attention'])).toMatchObject({ cause: 'name_taken' })
  expect(fleet.platform.connections.get(taken)?.spec).toEqual({ secret: 'theirs' })
}, 120_000)

test('F12, five times 429 between the two requests: the connection is not requested again, Retry-After is honored, and another process finishes', async () => {
  const askAfterSeconds = 3 // longer than the other process's lease and than our first backoffs
  let asked = 0
  fleet.platform.fault = ({ path }) =>
    /functions$/.test(path) && ++asked <= 5 ? { status: 429, retryAfter: askAfterSeconds } : undefined
  const begun = await beginLink(fleet)
  await finishLink(fleet, begun)
  const putOff = await waitFor('it is put off', async () => {
    const link = await fleet.linkOf(begun.minted)
    return link?.cause === 'platform_unavailable' && link
  })

  await program.kill()
  program = await fleet.start({ LEASE_SECONDS: '2' })

  await untilLink(fleet, begun.minted, ['linked'], 90_000)
  expect(putOff.state).toBe('connection_ready')
  expect(postsTo(/connections$/)).toBe(1)
  const times = fleet.platform
    .posts()
    .filter(({ path }) => /functions$/.test(path))
    .map(({ at }) => at)
  const pauses = times.slice(1).map((at, index) => at - (times[index] as number))
  expect(pauses).toHaveLength(5)
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(askAfterSeconds * 1_000)
}, 120_000)

test('O4, a rejected platform key: the link waits for the operator, and resumes automatically', async () => {
  fleet.platform.fault = () => 401
  const { minted } = await linkPatiently(fleet)
  const waiting = await untilLink(fleet, minted, ['escrowed'])
  fleet.platform.fault = undefined
  await fleet.sql.query('update links set due_at = now(), next_attempt_at = now() where id = $1', [waiting.id])

  await untilLink(fleet, minted, ['linked'])

  expect(waiting).toMatchObject({ cause: 'platform_misconfigured', attempts: 1 })
}, 120_000)

test.each([400, 422])(
  'F13, rejected with %i: the link needs attention immediately, and the grant is kept',
  async (status) => {
    fleet.platform.fault = () => status

    const { minted } = await linkPatiently(fleet)

    const link = await untilLink(fleet, minted, ['needs_attention'])
    expect(link.cause).toBe('platform_refused')
    expect(fleet.platform.posts()).toHaveLength(1)
    const { rows } = await fleet.sql.query('select 1 from escrow where link_id = $1', [link.id])
    expect(rows).toHaveLength(1)
  },
  120_000,
)
