// What the doctor reads from the ledger: whose grants died when, and what became of the latest link.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgresDoctorLedger } from '../../../src/onboarding/doctor/adapters/doctor-ledger.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld
beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

const deployment = { integration: 'provider', clientId: 'client-1', tenant: undefined }

test('a link, a check and a disconnect are its latest events; only the client’s own count', async () => {
  const ledger = postgresDoctorLedger(world.sql)
  const before = await ledger.latest(deployment)
  const id = await world.link()
  await world.api('POST', `/connections/${id}/health-checks`, { reason: 'for the test' })
  const linked = await ledger.latest(deployment)
  await world.api('POST', `/connections/${id}/disconnect`, { reason: 'for the test' })
  await world.flows.resumeTasks()

  expect(before).toEqual({ link: undefined, check: undefined, revocation: undefined })
  expect(linked.link).toMatchObject({ state: 'linked' })
  expect(linked.check).toMatchObject({ outcome: 'healthy' })
  await expect
    .poll(async () => (await ledger.latest(deployment)).revocation)
    .toMatchObject({ outcome: 'revoked', at: expect.any(Date) })
  expect((await ledger.latest({ ...deployment, tenant: 'another' })).link).toBeUndefined()
})

test('deaths are counted with their ages, of this client alone', async () => {
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

  expect(ours.deaths).toHaveLength(1)
  expect(theirs).toMatchObject({ deaths: [expect.anything()], alive: 0 })
  const [death] = ours.deaths
  expect(Math.round((Number(death?.diedAt) - Number(death?.grantedAt)) / 86_400_000)).toBe(7)
  expect(ours.alive).toBe(1)
})

test('a check that could not ask the app as its profile says counts, one that met an outage does not', async () => {
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
