// Data of release 0.3.0 on the schema of this release: linked and disconnected connections, and a link that waits.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/kit/database/migrations.ts'
import { migrations } from '../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { worker } from '../../src/onboarding/domain/audit/audit.ts'
import { sweepLinks } from '../../src/onboarding/provisioning/flows/sweep-links.ts'
import { type ProviderDouble, startProvider } from '../support/doubles/provider/provider.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { keyOfRelease, releaseDatabase } from '../support/releases/release-database.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let provider: ProviderDouble
let database: Awaited<ReturnType<typeof releaseDatabase>>
let applied: string[]
let world: OnboardingWorld

beforeAll(async () => {
  provider = await startProvider()
  database = await releaseDatabase('onboarding', migrations, { 'http://provider.invalid': provider.url })
  applied = await migrate(database.pool, migrations)
  world = await startOnboarding({
    provider,
    integration: {
      issuer: undefined,
      endpoints: { authorization: `${provider.url}/authorize`, token: `${provider.url}/token` },
      revocation: { style: 'rfc7009', reach: 'token', url: `${provider.url}/revoke` },
      scopes: [{ name: 'files.read' }],
      account: { from: 'none' },
    },
    env: {
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: `test:${keyOfRelease('encryption').toString('base64url')}`,
      SIGNING_KEY: keyOfRelease('signing').toString('base64url'),
    },
  })
  for (const table of ['connections', 'links'])
    await database.pool.query(`update ${table} set function_url = replace(function_url, $1, $2)`, [
      'http://platform.invalid',
      world.platform.url,
    ])
})
afterAll(async () => {
  await world.close()
  await database.pool.end()
})

/** Of the provider double. */
const issuedToken = /^CANARY-RT-[0-9a-f]{32}$/

const connectionOf = async (endUser: string) => {
  const { body } = await world.api('GET', `/connections?tenantId=acme&endUserId=${endUser}`)
  return body.data[0]
}

test('only the migrations since that release are applied', () => {
  expect(applied).toEqual(migrations.map(({ name }) => name).filter((name) => name !== '0001-schema'))
})

test('its connections, checks and links are listed', async () => {
  const linked = await connectionOf('linked')
  const gone = await connectionOf('disconnected')
  const { body: health } = await world.api('GET', `/connections/${linked.id}/health`)
  const { body: links } = await world.api('GET', '/links?tenantId=acme')

  expect([linked.status, gone.status]).toEqual(['active', 'disconnected'])
  expect(health.checks).toHaveLength(1)
  expect(links.data).toHaveLength(3)
})

test('a link that waited for the platform is completed with its stored grant', async () => {
  await database.pool.query('update links set next_attempt_at = now(), due_at = now() where due_at is not null')

  await waitFor('the link has ended', async () => {
    await sweepLinks(world.ports, world.settings)
    return (await connectionOf('waits')) !== undefined
  })

  expect((await connectionOf('waits')).status).toBe('active')
  const secrets = [...world.platform.connections.values()].map(({ spec }) => spec.secret)
  expect(secrets).toMatchObject([{ REFRESH_TOKEN: expect.stringMatching(issuedToken) }])
})

test('a disconnect revokes the stored grant at the provider', async () => {
  const { id } = await connectionOf('linked')

  await world.api('POST', `/connections/${id}/disconnect`, { reason: 'test' })

  await waitFor('the connection is disconnected', async () => (await connectionOf('linked')).status === 'disconnected')
  expect(provider.seen.revocations).toEqual([expect.stringMatching(issuedToken)])
})

test('the client of a tenant opens', async () => {
  const client = await world.ports.tenants.ownClient('globex', 'provider')

  expect(client?.id).toBe('own-client')
  expect(client?.secret?.reveal()).toBe('own-secret-of-globex')
})

test('its audit is kept, and goes on in the partition of this month', async () => {
  await world.ports.auditRetention.continueMonths()
  await world.ports.audit.note({
    action: 'key.encryption_rotated',
    actor: worker,
    facts: { rewrapped: {}, others: {} },
  })

  const { rows } = await database.pool.query(
    'select tableoid::regclass::text as partition, count(*)::int > 0 as "hasRows" from audit group by 1 order by 1',
  )
  expect(rows).toEqual([
    { partition: 'audit_000000', hasRows: true },
    { partition: expect.stringMatching(/^audit_2\d{5}$/), hasRows: true },
  ])
})
