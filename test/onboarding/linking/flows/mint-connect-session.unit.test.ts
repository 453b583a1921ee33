import { beforeEach, expect, test } from 'vitest'
import { mintConnectSession } from '../../../../src/onboarding/linking/flows/mint-connect-session.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { returnUrl } from '../../../support/memory/builders.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const wanted = {
  caller: ofTenant('acme'),
  actor: byKey,
  tenant: 'acme',
  integration: 'files',
  endUser: { id: 'user-1' },
  returnUrl,
  completionChallenge: 'challenge' as string | undefined,
  ttlSeconds: undefined as number | undefined,
}
const mint = (more: Partial<Parameters<typeof mintConnectSession>[2]> = {}) =>
  mintConnectSession(world, world.settings, { ...wanted, ...more })

test('the ledger stores only a digest of the token in the URL', async () => {
  const { session, url } = await mint()

  const token = url.replace('https://connect.example/connect/', '')
  expect(await world.sessions.byToken(world.tokens.digest(token))).toEqual(session)
  expect(JSON.stringify([...world.tables.sessions.values(), ...world.tables.audit])).not.toContain(token)
})

test('a session lasts as long as the caller or the deployment sets', async () => {
  const expiresIn = async (ttlSeconds?: number) =>
    ((await mint({ ttlSeconds })).session.expiresAt.getTime() - world.now().getTime()) / 1_000

  expect([await expiresIn(), await expiresIn(60)]).toEqual([900, 60])
})

test('a tenant can mint only for itself, and another tenant looks missing', async () => {
  await expect(mint({ caller: ofTenant('other') })).rejects.toMatchObject({ code: 'not_found' })
  await expect(mint({ tenant: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
})

test('the integration must be offered and have a client', async () => {
  await expect(mint({ integration: 'fax' })).rejects.toMatchObject({
    code: 'input_invalid',
    more: {
      errors: [
        {
          pointer: '/integrationId',
          detail: 'No integration "fax" is available to this tenant. GET /integrations lists the available ones.',
        },
      ],
    },
  })
  await expect(mint({ integration: 'mail' })).rejects.toMatchObject({ code: 'integration_unavailable' })
})

test('a misspelled integration returns the closest one that the tenant can link', async () => {
  await expect(mint({ integration: 'flies' })).rejects.toMatchObject({
    detail: 'No integration "flies". Did you mean "files"?',
  })
  await expect(mint({ integration: undefined, choices: ['files', 'fiels'] })).rejects.toMatchObject({
    more: { errors: [{ pointer: '/integrationIds/1', detail: 'No integration "fiels". Did you mean "files"?' }] },
  })
  // `mail` has no OAuth client here.
  await expect(mint({ integration: 'mial' })).rejects.toMatchObject({
    detail: expect.not.stringContaining('Did you mean'),
  })
})

test('only a plausible ID is repeated in the message', async () => {
  await expect(mint({ integration: '<b> x' })).rejects.toMatchObject({
    detail: 'No such integration is available to this tenant. GET /integrations lists the available ones.',
  })
})

test('rejects and audits a return URL that is not registered exactly', async () => {
  await expect(mint({ returnUrl: `${returnUrl}/` })).rejects.toMatchObject({
    code: 'input_invalid',
    more: { errors: [{ pointer: '/returnUrl', detail: expect.stringContaining('compared exactly') }] },
  })
  expect(world.actions()).toContain('return_url.rejected')
})

test('rejects a session without a challenge if the deployment requires one', async () => {
  await expect(mint({ completionChallenge: undefined })).rejects.toMatchObject({
    code: 'input_invalid',
    more: { errors: [{ pointer: '/completionChallenge' }] },
  })
})

test('needs no challenge if the deployment leaves it to the tenant', async () => {
  world.settings.completion = 'optional'

  expect((await mint({ completionChallenge: undefined })).session.completionChallenge).toBeUndefined()
})

test('a rate-limited tenant waits only as long as necessary', async () => {
  for (let count = 0; count < 5; count++) await mint()

  await expect(mint()).rejects.toMatchObject({ code: 'rate_limited', more: { retryAfterSeconds: 60 } })
  world.clock.pass(61)
  await mint()
})

test('starts no links while too many of the tenant’s links wait for the platform', async () => {
  for (let count = 0; count < 3; count++) await world.escrow(await world.addLink())

  await expect(mint()).rejects.toMatchObject({ code: 'backlog_full', more: { retryAfterSeconds: 60 } })
})

test('creates no session for a tenant that is being deleted', async () => {
  await world.deletions.open('acme', byKey, auditEntry('tenant.deletion_started'))

  await expect(mint()).rejects.toMatchObject({ code: 'tenant_deleted' })
})

test('creates no session for a suspended tenant until it is reactivated', async () => {
  await world.tenants.changeStatus('acme', 'suspended', auditEntry('tenant.suspended'))
  await expect(mint()).rejects.toMatchObject({ code: 'tenant_suspended' })

  await world.tenants.changeStatus('acme', 'active', auditEntry('tenant.reactivated'))
  await expect(mint()).resolves.toBeDefined()
})

test('a retried request returns the same session and URL', async () => {
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }
  const first = await mint({ claim })
  const second = await mint({ claim: { ...claim, isRetry: true } })

  expect(second).toEqual(first)
  expect(world.tables.sessions.size).toBe(1)
})

test('a retried request succeeds even if new sessions are rejected', async () => {
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }
  await mint({ claim })
  world.removeIntegration('files')

  expect((await mint({ claim: { ...claim, isRetry: true } })).session.tenant).toBe('acme')
})
