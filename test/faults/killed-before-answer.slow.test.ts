// A process is killed after a request with an Idempotency-Key took effect, before its response was stored.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'
import { returnUrl } from '../support/worlds/onboarding-world.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
  await fleet.start()
  await fleet.putTenant('acme')
}, 120_000)
afterAll(() => fleet.close())

const mint = () =>
  fleet.api(
    'POST',
    '/connect-sessions',
    {
      tenantId: 'acme',
      integrationId: 'provider',
      endUser: { id: 'once' },
      returnUrl,
      completionChallenge: 'c'.repeat(43),
    },
    { 'Idempotency-Key': 'mint-once' },
  )

const letBeBegun = (secondsAgo: number) =>
  fleet.sql.query('update idempotency_keys set begun_at = now() - make_interval(secs => $1)', [secondsAgo])

const sessions = async () => (await fleet.sql.query('select id from connect_sessions')).rows

test('killed between a session and its response: ten seconds later the same request gets the same session', async () => {
  const keeping = await holdUpAnswers()
  const lost = mint().catch(() => {})
  const [made] = await waitFor('the session is there, and its answer is being kept', async () => {
    return (await keeping.isWaiting()) && (await sessions())
  })
  await fleet.processes[0]?.kill()
  await Promise.all([keeping.undo(), lost])
  await fleet.start()

  await letBeBegun(1)
  const soon = await mint()
  await letBeBegun(11)
  const later = await mint()
  const again = await mint()

  expect(soon).toMatchObject({ status: 409, body: { code: 'idempotency_key_busy' } })
  expect(later).toMatchObject({ status: 201, body: { id: made.id, status: 'open' } })
  expect(again.body).toEqual(later.body)
  expect(await sessions()).toEqual([made])
  expect((await fetch(later.body.url)).status).toBe(200)
}, 120_000)

/** Blocks the storing of responses until undone; blocked responses are never stored. */
async function holdUpAnswers() {
  await fleet.sql.query(`
    create function hold_up() returns trigger language plpgsql as
      $$ begin perform pg_sleep(600); return new; end $$;
    create trigger hold_up before update on idempotency_keys for each row execute function hold_up()`)
  const waiting = `from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  return {
    isWaiting: async () => ((await fleet.sql.query(`select pid ${waiting}`)).rowCount ?? 0) > 0,
    async undo() {
      await fleet.sql.query(`select pg_terminate_backend(pid, 10000) ${waiting}`)
      await fleet.sql.query('drop function hold_up cascade')
    },
  }
}
