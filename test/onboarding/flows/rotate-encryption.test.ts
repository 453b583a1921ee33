import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { columnName } from '../../../src/kit/database/sealed-rows.ts'
import { StartError } from '../../../src/kit/process/start-error.ts'
import { sealedColumns } from '../../../src/onboarding/adapters/postgres/sealed-columns.ts'
import { assemble, openWorld } from '../../../src/onboarding/compose.ts'
import { readConfig } from '../../../src/onboarding/config.ts'
import { deploymentChain } from '../../../src/onboarding/domain/audit/audit-chain.ts'
import { rotateEncryption } from '../../../src/onboarding/flows/rotate-encryption.ts'
import { sealAudit } from '../../../src/onboarding/flows/seal-audit.ts'
import { verifyChain } from '../../../src/onboarding/flows/verify-audit.ts'
import { completeLink } from '../../../src/onboarding/linking/flows/complete-link.ts'
import { resumeLink } from '../../../src/onboarding/provisioning/flows/stalled-links/resume-link.ts'
import { deliverWebhooks } from '../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { providerClient } from '../../support/doubles/provider/provider.ts'
import { startReceiver, verified, type WebhookReceiver } from '../../support/doubles/webhook-receiver.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { sealedInDatabase } from '../../support/oracles/sealed-in-database.ts'
import { audited } from '../../support/worlds/ledger.ts'
import {
  type MintedSession,
  type OnboardingWorld,
  providerEntry,
  startOnboarding,
} from '../../support/worlds/onboarding-world.ts'

const [oldKey, newKey] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64url')}`)
const operator = { kind: 'operator' as const }
const caller = { keyId: 'key_test', tenant: undefined }
const ownClient = { id: 'client-2', secret: new Secret('CANARY-OWN-CLIENT-SECRET') }
const issuer = 'https://login.notes.example'

const [oldFirst, newFirst] = [`${oldKey},${newKey}`, `${newKey},${oldKey}`]

let world: OnboardingWorld
let serving: OnboardingWorld['world']
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startOnboarding({
    env: { ENCRYPTION_KEYS: oldFirst },
    egressAllow: [receiver.host],
  })
  serving = world.world
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

async function restart(keys: string) {
  serving = { ...serving, ...(await world.restart({ ENCRYPTION_KEYS: keys })) }
}

function openWith(keys: string) {
  const config = readConfig({ ...world.env, ENCRYPTION_KEYS: keys })
  const opened = openWorld(config)
  return { ...opened, ...assemble(config, opened) }
}

type Population = {
  waiting: MintedSession
  completionCode: string
  stopped: string
  webhook: string
  secrets: string[]
}

async function populate(): Promise<Population> {
  const waiting = await world.mint()
  const { query } = await world.consent(waiting)
  const second = await world.mint()
  const consent = await world.consent(second)
  world.platform.fault = () => 422
  const stopped = await world.complete(second, consent.query)
  world.platform.fault = undefined
  const connection = await linkedConnection()
  await relink(connection)
  world.platform.fault = ({ method }) => (method === 'PUT' ? 422 : undefined)
  await relink(connection)
  world.platform.fault = undefined
  await serving.tenants.putOwnClient('acme', 'gmail', ownClient, audited('tenant.oauth_client_put'))
  const registered = {
    client: ownClient,
    by: 'registration',
    clientAuthentication: 'client_secret_basic',
    redirectUri: `${world.url}/oauth/callback/notes`,
    scope: '',
    expiresAt: undefined,
  } as const
  await serving.registeredClients.save(issuer, registered, undefined, audited('oauth_client.registered'))
  await changeSettings()
  const row = { key: '1', integrationId: 'provider', endUser: { id: 'u' }, refreshToken: 'CANARY-RT-row' }
  const { body: imported } = await world.api('POST', '/imports', { tenantId: 'acme' })
  await world.api('POST', `/imports/${imported.id}/rows`, { rows: [row] })
  await world.api('POST', '/tenants/acme/rotate-signing-secret')
  const created = await world.api('POST', '/tenants/acme/webhooks', { url: receiver.url })
  const path = `/tenants/acme/webhooks/${created.body.id}/rotate-secret`
  const rotated = await world.api('POST', path, undefined, { 'Idempotency-Key': 'rotation-1' })
  return {
    waiting,
    completionCode: query.completion_code ?? '',
    stopped: stopped.body.id,
    webhook: created.body.id,
    secrets: [created.body.secret, rotated.body.secret],
  }
}

async function changeSettings() {
  const made = await serving.apiKeys.create({ name: 'ops', tenant: undefined, purpose: 'settings' }, operator)
  const { id: _, ...entry } = providerEntry(world.provider)
  const put = await world.apiAs(made.key.reveal())('PUT', '/integrations/changed/settings', { settings: entry })
  expect(put.status).toBe(200)
}

async function linkedConnection(): Promise<string> {
  const minted = await world.mint()
  return (await world.complete(minted, (await world.consent(minted)).query)).body.connection.id
}

async function relink(connection: string) {
  const { body } = await world.api('POST', `/connections/${connection}/relink-sessions`, { reason: 'test' })
  const browser = new HttpBrowser()
  await browser.follow(await browser.post(body.url))
}

async function rotate(keys: string) {
  const rotating = openWith(keys)
  try {
    return await rotateEncryption(rotating, operator)
  } finally {
    await rotating.close()
  }
}

test('rejects the rotation and changes nothing while a process seals with the old key', async () => {
  const before = await sealedInDatabase(world.sql)

  const refused = await rotate(newFirst).catch((error) => error)

  expect(refused).toBeInstanceOf(StartError)
  expect(refused.message).toContain('seals by the key old')
  expect(await sealedInDatabase(world.sql)).toEqual(before)
})

test('fails and keeps all keys if a process starts with the old key during the rotation', async () => {
  const rotating = openWith(newFirst)
  const late = openWith(oldFirst)
  await restart(newFirst)
  const countOthers: typeof rotating.sealedRows.countOthers = async (column) => {
    await late.prepare()
    return rotating.sealedRows.countOthers(column)
  }

  const refused = await rotateEncryption(
    { ...rotating, sealedRows: { ...rotating.sealedRows, countOthers } },
    operator,
  ).catch((error) => error)

  const { rows } = await world.sql.query('select id from encryption_keys order by id')
  expect(refused).toBeInstanceOf(StartError)
  expect(rows.map(({ id }) => id)).toEqual(['new', 'old'])
  await Promise.all([rotating.close(), late.close()])
  await restart(oldFirst)
  await rotate(oldFirst)
})

test('after a rotation under load, the new key opens everything', async () => {
  const populated = await populate()
  const before = await sealedInDatabase(world.sql)
  await sealAudit(serving)
  await restart(newFirst)
  const links = Array.from({ length: 6 }, async () => {
    const minted = await world.mint()
    return (await world.complete(minted, (await world.consent(minted)).query)).body.status
  })
  const during = await Promise.all([rotate(newFirst), rotate(newFirst)])
  const statuses = await Promise.all(links)
  const report = await rotate(newFirst)

  const alone = openWith(newKey ?? '')
  const completed = await completeLink(alone.ports, alone.settings, {
    caller,
    actor: operator,
    sessionId: populated.waiting.id,
    completionCode: populated.completionCode,
    completionVerifier: populated.waiting.verifier,
  })
  const resumed = await resumeLink(alone.ports, alone.settings, { caller, actor: operator, id: populated.stopped })
  const [finished, carriedOn] = await Promise.all([completed.done, resumed.done])
  await (await deliverWebhooks(alone.ports)()).done
  const chains = await Promise.all(
    ['acme', deploymentChain].map((chain) => verifyChain(alone.auditChains, { chain, saved: [] })),
  )

  expect([...before.keys()].sort()).toEqual(sealedColumns.map(columnName).sort())
  expect([...before.values()].flat()).toEqual(sealedColumns.map(() => 'old'))
  expect(during.flat().reduce((sum, { rewrapped }) => sum + rewrapped, 0)).toBeGreaterThanOrEqual(sealedColumns.length)
  expect(statuses).toEqual(statuses.map(() => 'linked'))
  expect(report.map(({ others }) => others)).toEqual(report.map(() => 0))
  expect([finished.state, carriedOn.state]).toEqual(['linked', 'linked'])
  expect((await alone.tenants.signingSecret('acme')).reveal()).toMatch(/^[\w-]{43}$/)
  expect((await alone.tenants.ownClient('acme', 'gmail'))?.secret?.reveal()).toBe('CANARY-OWN-CLIENT-SECRET')
  expect((await alone.registeredClients.newest(issuer))?.client.secret?.reveal()).toBe('CANARY-OWN-CLIENT-SECRET')
  expect((await alone.settingVersions.latest('changed'))?.entry?.clientSecret).toBe(providerClient.secret)
  expect(chains).toEqual(['acme', deploymentChain].map((chain) => ({ chain, verified: expect.any(Number) })))
  expect(chains.every(({ verified }) => verified > 0)).toBe(true)
  for (const secret of populated.secrets) expect(() => verified(secret, receiver.messages[0]!)).not.toThrow()
  await alone.close()
})

test('a second rotation changes nothing, and is audited with its counts', async () => {
  await rotate(newFirst)
  const before = await sealedInDatabase(world.sql)

  const report = await rotate(newFirst)

  expect(report.every(({ rewrapped, others }) => rewrapped === 0 && others === 0)).toBe(true)
  expect(await sealedInDatabase(world.sql)).toEqual(before)
  const { rows } = await world.sql.query(`select * from audit where action = 'key.encryption_rotated' order by id`)
  expect(rows.at(-1)).toMatchObject({
    actor_kind: 'operator',
    facts: {
      rewrapped: expect.objectContaining({ 'tenants.signing_secret': 0 }),
      others: expect.objectContaining({ 'tenants.signing_secret': 0 }),
    },
  })
})

test('values sealed with a missing key are kept and counted', async () => {
  const other = `other:${randomBytes(32).toString('base64url')}`
  await rotate(newFirst)
  const rotating = openWith(other)
  const sealedRows = { ...rotating.sealedRows, otherSealingKeys: async () => [] }

  const report = await rotateEncryption({ ...rotating, sealedRows }, operator)

  await rotating.close()
  expect(report.find(({ column }) => column === 'tenants.signing_secret')).toEqual({
    column: 'tenants.signing_secret',
    rewrapped: 0,
    others: 1,
  })
  expect((await serving.tenants.signingSecret('acme')).reveal()).toMatch(/^[\w-]{43}$/)
})

test('a signing secret that becomes active during a rotation is rewrapped too', async () => {
  await restart(oldFirst)
  await rotate(oldFirst)
  await world.api('POST', '/tenants/acme/rotate-signing-secret')
  await restart(newFirst)
  const rotating = openWith(newFirst)
  let isMoved = false
  const rewrapSome: typeof rotating.sealedRows.rewrapSome = async (column, after) => {
    const round = await rotating.sealedRows.rewrapSome(column, after)
    if (column.startsWith('tenants.') && !isMoved) {
      isMoved = true
      await world.sql.query('update tenants set next_active_from = now() where next_active_from is not null')
      await rotating.tenants.forgetSigningSecrets()
    }
    return round
  }

  await rotateEncryption({ ...rotating, sealedRows: { ...rotating.sealedRows, rewrapSome } }, operator)

  expect((await sealedInDatabase(world.sql)).get('tenants.signing_secret')).toEqual(['new'])
  await rotating.close()
})

test.each([
  ['escrow.sealed', 'stored_grants.sealed'],
  ['escrow.trial_refresh', 'stored_grants.trial_refresh'],
  ['webhooks.secret', 'earlier_webhook_secrets.secret'],
])('rewraps %s before %s, because values move in that order', (from, to) => {
  const names = sealedColumns.map(columnName)

  expect(names.indexOf(from)).toBeLessThan(names.indexOf(to))
})

test('does not overwrite a value that changed after it was read', async () => {
  await rotate(newFirst)
  const rotating = openWith(oldFirst)
  const { rows } = await world.sql.query('select signing_secret from tenants')
  const lock = await world.sql.connect()
  await lock.query('begin')
  await lock.query(`update tenants set signing_secret = 'changed'`)

  const round = rotating.sealedRows.rewrapSome('tenants.signing_secret', undefined)
  try {
    await expect.poll(waitingForLock, { timeout: 20_000 }).toBe(1)
  } finally {
    await lock.query('commit')
    lock.release()
  }

  expect(await round).toMatchObject({ rewrapped: 0 })
  const after = await world.sql.query('select signing_secret from tenants')
  expect(after.rows).toEqual([{ signing_secret: 'changed' }])
  await world.sql.query('update tenants set signing_secret = $1', [rows[0].signing_secret])
  await rotating.close()
})

async function waitingForLock(): Promise<number> {
  const { rows } = await world.sql.query(`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0].count
}
