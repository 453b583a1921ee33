import { execFileSync } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sealAudit } from '../../../../src/onboarding/flows/seal-audit.ts'
import { type OnboardingWorld, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let tenantApi: ReturnType<OnboardingWorld['apiAs']>

beforeAll(async () => {
  world = await startOnboarding()
  const key = await world.world.apiKeys.create({ name: 'acme', tenant: 'acme' }, { kind: 'operator' })
  tenantApi = world.apiAs(key.key.reveal())
  for (let at = 0; at < 3; at++) await world.mint()
  await sealAudit(world.ports)
  await world.mint()
  await world.api('POST', '/connect-sessions/ses_unknown/cancel')
  await sealAudit(world.ports)
})
afterAll(() => world.close())

type Api = OnboardingWorld['api']

async function allRecords(api: Api, query = '', limit = 200) {
  const records: Array<Record<string, never>> = []
  let cursor = ''
  for (;;) {
    const { body } = await api('GET', `/audit/records?limit=${limit}${query}${cursor}`)
    records.push(...body.data)
    if (!body.nextCursor) return records
    cursor = `&cursor=${body.nextCursor}`
  }
}

const python = (tenant: string, records: object[]) =>
  execFileSync('python3', ['docs/reference/verify-audit.py', tenant], {
    input: records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  })

test('a tenant reads its chain in pages of any size, and only its own', async () => {
  const whole = await allRecords(tenantApi)
  const inPages = await allRecords(tenantApi, '', 2)

  expect(whole.length).toBeGreaterThan(4)
  expect(inPages).toEqual(whole)
  expect(whole.map(({ position }) => position)).toEqual(whole.map((_, at) => at + 1))
  expect((await tenantApi('GET', '/audit/records?tenantId=beta')).status).toBe(404)
  expect((await tenantApi('GET', '/audit/head?tenantId=beta')).status).toBe(404)
})

test('a verifier that shares no code accepts the records of tenants and of the deployment', async () => {
  const { body: head } = await tenantApi('GET', '/audit/head')

  expect(python('acme', await allRecords(tenantApi))).toBe(`${head.position} ${head.hash}\n`)
  expect(python('acme', await allRecords(world.api, '&tenantId=acme'))).toBe(`${head.position} ${head.hash}\n`)
  const { body: ofDeployment } = await world.api('GET', '/audit/head')
  expect(python('', await allRecords(world.api))).toBe(`${ofDeployment.position} ${ofDeployment.hash}\n`)
})

test('a verifier that shares no code finds changed and missing records', async () => {
  const records = await allRecords(tenantApi)
  const changed = structuredClone(records) as never as Array<{ body: { action: string } }>
  ;(changed[1] as { body: { action: string } }).body.action = 'session.cancelled'

  expect(() => python('acme', changed)).toThrow('position 2: the entry was changed')
  expect(() => python('acme', records.toSpliced(2, 1))).toThrow('position 3: the chain has a gap')
  expect(() => python('acme', records.slice(1))).toThrow('position 1: data was removed')
  expect(() => python('beta', records)).toThrow('position 1: data was removed')
})

test('the head is a JWS that a published key has signed', async () => {
  const { body } = await tenantApi('GET', '/audit/head')
  const published = await fetch(`${world.url}/.well-known/jwks.json`)
  const { keys } = (await published.json()) as { keys: Array<{ kid: string }> }
  const [header, payload, signature] = body.head.split('.')
  const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const key = createPublicKey({ key: keys.find((each) => each.kid === kid) ?? {}, format: 'jwk' })

  expect(alg).toBe('EdDSA')
  expect(verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))).toBe(true)
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
    tenantId: 'acme',
    position: body.position,
    hash: body.hash,
    sealedAt: body.sealedAt,
  })
  expect(keys.every((each) => !('d' in each))).toBe(true)
})

test('a tenant does not see addresses, only their digests', async () => {
  const shown = await allRecords(tenantApi)
  const known = await allRecords(world.api, '&tenantId=acme')

  expect(shown.some((record) => 'hidden' in record)).toBe(false)
  expect(known.some((record) => 'hidden' in record)).toBe(true)
  expect(shown.map(({ body }) => body)).toEqual(known.map(({ body }) => body))
  expect(shown.map(({ hash }) => hash)).toEqual(known.map(({ hash }) => hash))
})

test('a changed, a removed and an inserted entry are visible in the records', async () => {
  const records = await allRecords(tenantApi)
  const { id } = (records[2] as never as { body: { id: string } }).body
  const tamper = (statement: string) =>
    world.sql.query(`begin; set local session_replication_role = replica; ${statement}; commit`)

  await tamper(`update audit set reason = 'another' where id = ${id}`)
  const changed = await allRecords(tenantApi)
  expect(() => python('acme', changed)).toThrow('position 3: the entry was changed')
  await tamper(`delete from audit where id = ${id}`)
  const removed = await allRecords(tenantApi)
  expect(removed[2]).not.toHaveProperty('body')
  expect(() => python('acme', removed)).toThrow('position 3: the entry was changed or removed')
})
