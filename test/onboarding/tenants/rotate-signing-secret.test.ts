import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedText } from '../../../src/onboarding/domain/linking/return-url.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

async function tenantWithSecret(id: string): Promise<string> {
  const { body } = await world.api('PUT', `/tenants/${id}`, { workspace: id, displayName: id, returnUrls: [returnUrl] })
  return body.signingSecret
}

const rotate = (tenant: string, body?: object) => world.api('POST', `/tenants/${tenant}/rotate-signing-secret`, body)

/** As if the time had come at which the next secret signs. */
const letItSign = (tenant: string) =>
  world.sql.query('update tenants set next_active_from = now() where id = $1', [tenant])

/** Which of these secrets signed what a browser brings back to the tenant. */
async function signedBy(tenant: string, secrets: string[]): Promise<number[]> {
  const { query } = await world.consent(await world.mint({ tenantId: tenant }))
  const { sig, ts, ...outcome } = query
  const text = signedText(outcome as Parameters<typeof signedText>[0], ts as unknown as number)
  const signs = (secret: string) => createHmac('sha256', secret).update(text).digest('base64url') === sig
  return secrets.flatMap((secret, index) => (signs(secret) ? [index] : []))
}

test('for a day results are signed with the secret so far, so that a tenant can learn the new one', async () => {
  const first = await tenantWithSecret('patient')

  const { status, body } = await rotate('patient')

  expect(status).toBe(200)
  expect(body.secret).toMatch(/^[\w-]{43}$/)
  expect(Math.round((Date.parse(body.activeFrom) - Date.now()) / 3_600_000)).toBe(24)
  expect(await signedBy('patient', [first, body.secret])).toEqual([0])
})

test('from then on the new one signs, and the one before is wiped', async () => {
  const first = await tenantWithSecret('changed')
  const { body } = await rotate('changed', { afterSeconds: 60 })
  const { rows: before } = await world.sql.query(`select signing_secret from tenants where id = 'changed'`)
  await letItSign('changed')

  const signed = await signedBy('changed', [first, body.secret])
  await world.flows.forgetOld()

  expect(signed).toEqual([1])
  const { rows } = await world.sql.query(`select signing_secret, next_signing_secret from tenants where id = 'changed'`)
  expect(rows[0].signing_secret).not.toBe(before[0].signing_secret)
  expect(rows[0].next_signing_secret).toBeNull()
  expect((await world.world.tenants.signingSecret('changed')).reveal()).toBe(body.secret)
})

test('a secret that leaked is replaced at once, also while another was to follow', async () => {
  const first = await tenantWithSecret('leaked')
  await signedBy('leaked', [first])
  const { body: planned } = await rotate('leaked', { afterSeconds: 604_800 })

  const { body } = await rotate('leaked', { afterSeconds: 0 })

  expect(Date.parse(body.activeFrom)).toBeLessThanOrEqual(Date.now() + 1_000)
  expect(await signedBy('leaked', [first, planned.secret, body.secret])).toEqual([2])
})

test('rotated again before its time, the first goes on signing; after it, the second does', async () => {
  const first = await tenantWithSecret('twice')
  const { body: second } = await rotate('twice')
  const { body: third } = await rotate('twice')
  const secrets = [first, second.secret, third.secret]

  const early = await signedBy('twice', secrets)
  await letItSign('twice')
  const { body: fourth } = await rotate('twice')

  expect(early).toEqual([0])
  expect(await signedBy('twice', [...secrets, fourth.secret])).toEqual([2])
})

test('only a key that may change tenants rotates, and only within what makes sense', async () => {
  await tenantWithSecret('limited')
  const operator = { kind: 'operator' } as const
  const { key } = await world.world.apiKeys.create({ name: 'own', tenant: 'limited' }, operator)
  const own = await world.apiAs(key.reveal())('POST', '/tenants/limited/rotate-signing-secret')

  expect(own).toMatchObject({ status: 403, body: { code: 'key_limited' } })
  expect((await rotate('nobody')).status).toBe(404)
  for (const afterSeconds of [-1, 604_801, 1.5, '60'])
    expect((await rotate('limited', { afterSeconds })).status).toBe(422)
})

test('it is on record without the secret, and at rest it is sealed', async () => {
  const first = await tenantWithSecret('sealed')

  const { body } = await rotate('sealed', { afterSeconds: 60 })

  const { rows } = await world.sql.query(
    `select actor_kind, facts, after from audit where action = 'tenant.signing_secret_rotated' and tenant = 'sealed'`,
  )
  const after = { secretFingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) }
  expect(rows).toEqual([{ actor_kind: 'api_key', facts: { afterSeconds: 60 }, after }])
  const { rows: kept } = await world.sql.query(`select t::text as text from tenants as t where id = 'sealed'`)
  for (const secret of [first, body.secret]) expect(kept[0].text).not.toContain(secret)
})
