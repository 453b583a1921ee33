// A request with an Idempotency-Key that did its work and could not say so, and the same request once more.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { StoreUnavailable } from '../../../src/kit/database/store-errors.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld
let connection: string
let dies = false
let losesCommit = false

beforeAll(async () => {
  world = await startRelinking({
    integration: { revocation: { reach: 'grant' } }, // so that there is a grant to go back to
    replace: ({ idempotency, sessions }) => ({
      idempotency: {
        ...idempotency,
        // To a retrying client, a process that died before it stored its response looks like one that never stored it.
        finish: async (...args) => (dies ? undefined : idempotency.finish(...args)),
      },
      sessions: {
        ...sessions,
        async create(...args) {
          const made = await sessions.create(...args)
          if (losesCommit) throw new StoreUnavailable(new Error('Connection terminated unexpectedly'))
          return made
        },
      },
    }),
  })
  connection = await world.link()
})
beforeEach(async () => {
  dies = losesCommit = false
  await world.sql.query('delete from webhooks')
  await world.sql.query('delete from idempotency_keys')
})
afterAll(() => world.close())

const session = (id: string) => ({
  tenantId: 'acme',
  integrationId: 'provider',
  endUser: { id },
  returnUrl,
  completionChallenge: 'c'.repeat(43),
})

const tables = ['connect_sessions', 'webhooks', 'campaigns', 'campaign_members', 'audit']

const countRows = async () => {
  const counts = tables.map((table) => `(select count(*) from ${table})::int as ${table}`)
  return (await world.sql.query(`select ${counts.join()}`)).rows[0]
}

const aMinuteLater = () => world.sql.query(`update idempotency_keys set begun_at = begun_at - interval '61 seconds'`)

const makers = [
  ['a connect session', () => '/connect-sessions', session('once')],
  ['a re-link session', () => `/connections/${connection}/relink-sessions`, { reason: 'it broke' }],
  ['a webhook', () => '/tenants/acme/webhooks', { url: 'https://hooks.acme.example/' }],
  ['a campaign', () => '/campaigns', { causeCode: 'client_rejected', reason: 'it broke' }],
] as const

test.each(makers)('retrying %s after a crash returns the stored result with its secrets', async (...maker) => {
  const [, path, body] = maker
  await world.sql.query(`update connections set status = 'needs_relink', cause = 'client_rejected'`)
  const ask = () => world.api('POST', path(), body, { 'Idempotency-Key': 'died' })
  dies = true
  const first = await ask()
  const made = await countRows()
  dies = false
  await aMinuteLater()

  const second = await ask()
  const third = await ask()

  expect(first.status).toBe(201)
  expect(second).toMatchObject({ status: 201, body: first.body })
  expect(third.body).toEqual(first.body)
  expect(third.headers.get('idempotency-replayed')).toBe('true')
  expect(await countRows()).toEqual(made)
})

test('a retried rollback or disconnect is not repeated', async () => {
  const id = await world.link()
  const before = await world.secretsOf(id)
  await world.relink(id)
  const ask = (action: string) =>
    world.api('POST', `/connections/${id}/${action}`, { reason: 'it misbehaves' }, { 'Idempotency-Key': action })
  const askTwice = async (action: string) => {
    dies = true
    const first = await ask(action)
    dies = false
    await aMinuteLater()
    return [first, await ask(action)]
  }

  const rolledBack = await askTwice('rollback')
  const secrets = await world.secretsOf(id)
  const disconnected = await askTwice('disconnect')

  expect(rolledBack).toMatchObject([1, 2].map(() => ({ status: 200, body: { status: 'done' } })))
  expect(secrets).toEqual(before)
  expect(disconnected).toMatchObject([1, 2].map(() => ({ status: 200, body: { status: 'done' } })))
  const { rows } = await world.sql.query('select kind from connection_tasks where connection_id = $1 order by id', [id])
  expect(rows).toEqual([{ kind: 'rollback' }, { kind: 'disconnect' }])
})

test('a retry returns the tenth webhook despite the limit', async () => {
  const create = (key: string) =>
    world.api('POST', '/tenants/acme/webhooks', { url: 'https://hooks.acme.example/' }, { 'Idempotency-Key': key })
  for (let made = 1; made < 10; made++) await create(`webhook-${made}`)
  dies = true
  const tenth = await create('webhook-10')
  dies = false
  await aMinuteLater()

  const again = await create('webhook-10')

  expect(again).toMatchObject({ status: 201, body: tenth.body })
})

test('a request whose first try may still run is told when to retry', async () => {
  const ask = () => world.api('POST', '/connect-sessions', session('busy'), { 'Idempotency-Key': 'busy' })
  dies = true
  await ask()

  const again = await ask()

  expect([again.status, again.body.code]).toEqual([409, 'idempotency_key_busy'])
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(1)
})

test('after a lost commit response, the same request finds the result immediately', async () => {
  const ask = () => world.api('POST', '/connect-sessions', session('lost'), { 'Idempotency-Key': 'lost' })
  losesCommit = true
  const lost = await ask()
  losesCommit = false

  const again = await ask()

  expect([lost.status, again.status]).toEqual([503, 201])
  const { rows } = await world.sql.query(`select id from connect_sessions where end_user ->> 'id' = 'lost'`)
  expect(rows).toEqual([{ id: again.body.id }])
  const page = await fetch(again.body.url)
  expect(page.status).toBe(200)
})

test('a key that is reused after a crash or a day starts from scratch', async () => {
  const ask = (id: string) => world.api('POST', '/connect-sessions', session(id), { 'Idempotency-Key': 'twice' })
  dies = true
  const first = await ask('first')
  await aMinuteLater()

  const other = await ask('other')
  await world.sql.query(`update idempotency_keys set begun_at = now() - interval '25 hours'`)
  const nextDay = await ask('other')

  expect([first, other, nextDay].map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set([first, other, nextDay].flatMap(({ body }) => [body.id, body.url])).size).toBe(6)
})

test('a released claim cannot finish or release a later one under the same key', async () => {
  const { idempotency, tokens } = world.world
  const begin = () => idempotency.begin('reused', 'digest', tokens.id('idm'))
  const paused = await begin()
  if (!('seed' in paused)) throw new Error('no turn')
  await idempotency.release(paused)
  const later = await begin()
  if (!('seed' in later)) throw new Error('no turn')

  await idempotency.finish(paused, 'sealed by the paused one')
  await idempotency.release(paused)
  await idempotency.finish(later, 'sealed by the later one')

  expect(later.fence).toBe(paused.fence)
  expect(await begin()).toEqual({ digest: 'digest', answer: 'sealed by the later one' })
})

test('deletes the seed once the response is stored', async () => {
  await world.api('POST', '/connect-sessions', session('kept'), { 'Idempotency-Key': 'kept' })

  const { rows } = await world.sql.query('select seed from idempotency_keys')

  expect(rows).toEqual([{ seed: null }])
})

test('values derived from a seed are stable and sort by its time', () => {
  const { tokens } = world.world
  const [early, late] = ['idm_06b7c8d9e0zzzzzzzzzzzzzzz', 'idm_06b7c8d9f0000000000000000'] as const

  const [first, second] = [tokens.id('ses', early), tokens.id('ses', late)]

  expect(first).toMatch(/^ses_06b7c8d9e0[0-9a-hjkmnp-tv-z]{15}$/)
  expect(first < second).toBe(true)
  expect([tokens.id('ses', early), tokens.fresh(early)]).toEqual([first, tokens.fresh(early)])
  expect(new Set([tokens.fresh(early), tokens.fresh(late), tokens.fresh(), tokens.fresh()]).size).toBe(4)
})
