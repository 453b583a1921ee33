import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compactDecrypt, exportJWK, generateKeyPair, type JWK } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportToFile } from '../../../../src/onboarding/cli/export.ts'
import { resumeErasures } from '../../../../src/onboarding/offboarding/flows/work-on-erasure.ts'
import { waitFor } from '../../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../../support/processes/stores.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let connectionId: string
const folder = temporaryFolder()

beforeAll(async () => {
  world = await startOnboarding({ integration: { rotation: 'none' } })
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  connectionId = (await world.complete(minted, query)).body.connectionId
  await world.api('PUT', '/tenants/acme/oauth-clients/gmail', { clientId: 'own', clientSecret: 'CANARY-OWN-SECRET' })
  await world.api('PUT', '/tenants/globex', { workspace: 'globex', displayName: 'Globex', returnUrls: [returnUrl] })
  for (const tenantId of ['acme', 'globex']) await world.api('POST', '/erasures', { tenantId, endUser: { id: 'gone' } })
})
afterAll(() => world.close())

type Line = { type: string; data: Record<string, unknown> }

const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const typesIn = (records: Line[]) => [...new Set(records.map(({ type }) => type))]

const stream = (key = world.key) =>
  fetch(`${world.url}/api/v1/tenants/acme/export`, {
    headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' },
  })

async function toFile(name: string, grantsFor?: string): Promise<Line[]> {
  const out = join(folder, name)
  await exportToFile(world, { tenant: 'acme', out, grantsFor }, () => undefined)
  expect(statSync(out).mode & 0o777).toBe(0o600)
  return linesOf(readFileSync(out, 'utf8'))
}

async function keyFile(name: string, jwk: JWK): Promise<string> {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(jwk))
  return file
}

test('exports all records of one tenant as JSON lines', async () => {
  const answer = await stream()
  const records = linesOf(await answer.text())

  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  expect(typesIn(records)).toEqual(['tenant', 'oauth_client', 'connection', 'link', 'erasure', 'audit_entry'])
  expect(records.find(({ type }) => type === 'connection')?.data).toMatchObject({ id: connectionId })
  expect(records.find(({ type }) => type === 'link')?.data.outsideCalls).toMatchObject([
    { call: 'token', server: 'provider', status: 200, attempt: 1 },
    { call: 'connection_create', server: 'platform' },
    { call: 'function_create', server: 'platform' },
    expect.anything(),
    expect.anything(),
  ])
  expect(JSON.stringify(records)).not.toContain('globex')
})

test('includes erasure receipts in the form of the API', async () => {
  const erasure = await waitFor('the erasure is done', async () => {
    await resumeErasures(world.ports, world.settings)
    const [found] = (await world.api('GET', '/erasures?tenantId=acme')).body.data
    return found.status === 'done' && found
  })

  const records = linesOf(await (await stream()).text())

  expect(erasure.receipt.removed).toMatchObject({ links: 0 })
  expect(records.filter(({ type }) => type === 'erasure').map(({ data }) => data)).toEqual([erasure])
})

test('pages contain the same records as the stream', async () => {
  const paged: Line[] = []
  for (let cursor = ''; ; ) {
    const { body } = await world.api('GET', `/tenants/acme/export?limit=3${cursor}`)
    paged.push(...body.data)
    if (!body.nextCursor) break
    cursor = `&cursor=${body.nextCursor}`
  }
  const streamed = linesOf(await (await stream()).text())

  const ids = (records: Line[]) =>
    records.filter(({ type }) => type !== 'audit_entry').map(({ type, data }) => [type, data.id ?? data.clientId])
  expect(ids(paged)).toEqual(ids(streamed))
})

test('contains no secret', async () => {
  const text = await (await stream()).text()

  expect(text).not.toContain('CANARY')
  expect(text).not.toMatch(/refresh_?token/i)
})

test('audits who exported', async () => {
  await stream()

  const { rows } = await world.sql.query(`select tenant, actor_kind from audit where action = 'tenant.exported'`)
  expect(rows[0]).toEqual({ tenant: 'acme', actor_kind: 'api_key' })
})

test.each(['', '?cursor=tenant:', '?cursor=connection:'])('audits each exported page (%s)', async (query) => {
  const noted = async () =>
    (await world.sql.query(`select from audit where action = 'tenant.exported' and tenant = 'acme'`)).rowCount ?? 0
  const before = await noted()

  const { status } = await world.api('GET', `/tenants/acme/export${query}`)

  expect([status, await noted()]).toEqual([200, before + 1])
})

test('another tenant’s key finds nothing, streamed or in pages', async () => {
  const { key } = await world.world.apiKeys.create({ name: 'globex', tenant: 'globex' }, { kind: 'operator' })

  const streamed = await stream(key.reveal())
  const paged = await world.apiAs(key.reveal())('GET', '/tenants/acme/export')

  expect([streamed.status, paged.status]).toEqual([404, 404])
})

test.each(['RSA-OAEP-256', 'ECDH-ES+A256KW'])('only the private key decrypts the grants (%s)', async (alg) => {
  const pair = await generateKeyPair(alg, { extractable: true })
  const key = await keyFile(`${alg}.json`, await exportJWK(pair.publicKey))

  const records = await toFile(`${alg}.ndjson`, key)
  const grant = records.find(({ type }) => type === 'grant')?.data as { connectionId: string; jwe: string }
  const { plaintext } = await compactDecrypt(grant.jwe, pair.privateKey)

  const opened = JSON.parse(new TextDecoder().decode(plaintext))
  expect(opened).toMatchObject({ connectionId, endUserId: 'user-1', clientId: 'client-1' })
  expect(world.provider.issued.map(({ token }) => token)).toContain(opened.refreshToken)
  expect(JSON.stringify(records)).not.toContain('CANARY')
  expect(records.at(-1)).toMatchObject({ type: 'end', data: { grant: 1, connection: 1 } })
})

test('exports no grants without a key and overwrites no file', async () => {
  const records = await toFile('plain.ndjson')

  expect(typesIn(records)).not.toContain('grant')
  await expect(toFile('plain.ndjson')).rejects.toThrow('cannot create')
})

test('rejects a private key without repeating it', async () => {
  const pair = await generateKeyPair('ECDH-ES+A256KW', { extractable: true })
  const jwk = await exportJWK(pair.privateKey)
  const file = await keyFile('private.json', jwk)

  const error = await toFile('never.ndjson', file).catch((caught) => caught)

  expect(error.message).toContain('is a private key')
  expect(error.message).not.toContain(jwk.d)
})

test('omits rotating tokens, because the platform has newer ones', async () => {
  const pair = await generateKeyPair('RSA-OAEP-256')
  const key = await keyFile('rotating.json', await exportJWK(pair.publicKey))
  await world.sql.query('update stored_grants set rotates = true')

  const records = await toFile('rotating.ndjson', key)

  expect(records.filter(({ type }) => type === 'grant')).toEqual([
    { type: 'grant', data: { connectionId, leftOut: 'rotates' } },
  ])
})
