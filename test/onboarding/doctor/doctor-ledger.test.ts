import { afterAll, beforeAll, expect, test } from 'vitest'
import { resumeTasks } from '../../../src/onboarding/connections/flows/work-on-task.ts'
import { postgresDoctorLedger } from '../../../src/onboarding/doctor/adapters/doctor-ledger.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld
beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

const deployment = { integration: 'provider', clientId: 'client-1', tenant: undefined }

test('the latest events of a client include links, checks and disconnects', async () => {
  const ledger = postgresDoctorLedger(world.sql)
  const before = await ledger.latest(deployment)
  const id = await world.link()
  await world.api('POST', `/connections/${id}/health-checks`, { reason: 'for the test' })
  const linked = await ledger.latest(deployment)
  await world.api('POST', `/connections/${id}/disconnect`, { reason: 'for the test' })
  await resumeTasks(world.ports, world.settings)

  expect(before).toEqual({ link: undefined, check: undefined, revocation: undefined })
  expect(linked.link).toMatchObject({ state: 'linked' })
  expect(linked.check).toMatchObject({ outcome: 'healthy' })
  await expect
    .poll(async () => (await ledger.latest(deployment)).revocation)
    .toMatchObject({ outcome: 'revoked', at: expect.any(Date) })
  expect((await ledger.latest({ ...deployment, tenant: 'another' })).link).toBeUndefined()
})

test('counts the ended grants of this client with their ages', async () => {
  const ledger = postgresDoctorLedger(world.sql)
  const row = (tenant: string, id: string, status: string) =>
    world.sql.query(
      `insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
         cause, end_user_id, created_at, status_since)
       values ($1, $2, 'acme', 'provider', $1, $1, 'https://x.example', '{}', $3, $4, 'u',
         now() - interval '8 days', now() - interval '1 day')`,
      [id, tenant, status, status === 'needs_relink' ? 'grant_revoked' : null],
    )
  await world.api('PUT', '/tenants/other', {
    workspace: 'other',
    displayName: 'Other',
    returnUrls: ['https://other.example/'],
  })
  await world.api('PUT', '/tenants/other/oauth-clients/provider', { clientId: 'own', clientSecret: 'hush' })
  await row('acme', 'con_dead1', 'needs_relink')
  await row('acme', 'con_alive', 'active')
  await row('other', 'con_dead2', 'needs_relink')

  const [ours, theirs] = await Promise.all([
    ledger.cohort(deployment),
    ledger.cohort({ integration: 'provider', clientId: 'own', tenant: 'other' }),
  ])

  expect(ours.deaths).toMatchObject([{ imported: false }])
  expect(theirs).toMatchObject({ deaths: [expect.anything()], alive: 0 })
  const [death] = ours.deaths
  expect(Math.round((Number(death?.diedAt) - Number(death?.grantedAt)) / 86_400_000)).toBe(7)
  expect(ours.alive).toBe(1)
})

test('a check with a profile mismatch counts, an outage does not', async () => {
  const ledger = postgresDoctorLedger(world.sql)
  const id = await world.link()
  const checked = (cause: string) =>
    world.sql.query(
      `insert into health_checks (connection_id, at, outcome, cause, duration_ms, actor_kind)
       values ($1, now(), 'unclear', $2, 1, 'worker')`,
      [id, cause],
    )

  await checked('profile_mismatch')
  await checked('provider_unavailable')

  expect((await ledger.latest(deployment)).check).toMatchObject({ outcome: 'unclear', cause: 'profile_mismatch' })
})

test('counts how the other grants of this client fared since a time', async () => {
  const ledger = postgresDoctorLedger(world.sql)
  const ids = [await world.link(), await world.link(), await world.link()]
  const [, worked, refused] = ids
  await world.sql.query("update connections set status = 'disconnected' where not (id = any($1))", [ids])
  await world.sql.query('update connections set checked_at = now() where id = any($1)', [[worked, refused]])
  await world.sql.query('update connections set unclear_since = now(), unexplained_refusals = 1 where id = $1', [
    refused,
  ])
  const since = new Date(Date.now() - 60_000)

  expect(await ledger.siblings(deployment, worked!, since)).toEqual({ worked: 0, refused: 1, unchecked: 1 })
  expect(await ledger.siblings(deployment, refused!, since)).toEqual({ worked: 1, refused: 0, unchecked: 1 })
  expect(await ledger.siblings({ ...deployment, tenant: 'other' }, worked!, since)).toMatchObject({ refused: 0 })
})
