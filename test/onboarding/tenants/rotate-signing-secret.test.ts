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

/** Which of these secrets signed what a browser brings back to the tenant. */
async function signedBy(tenant: string, secrets: string[]): Promise<number[]> {
  const { query } = await world.consent(await world.mint({ tenantId: tenant }))
  const { sig, ts, ...outcome } = query
  const text = signedText(outcome as Parameters<typeof signedText>[0], ts as unknown as number)
  const signs = (secret: string) => createHmac('sha256', secret).update(text).digest('base64url') === sig
  return secrets.flatMap((secret, index) => (signs(secret) ? [index] : []))
}

test('the previous secret signs results for a day after a rotation', async () => {
  const first = await tenantWithSecret('patient')

  const { status, body } = await rotate('patient')

  expect(status).toBe(200)
  expect(body.secret).toMatch(/^[\w-]{43}$/)
  expect(Math.round((Date.parse(body.activeFrom) - Date.now()) / 3_600_000)).toBe(24)
  expect(await signedBy('patient', [first, body.secret])).toEqual([0])
})

test('a rotation requires a deployment key and a delay of at most a week', async () => {
  await tenantWithSecret('limited')
  const operator = { kind: 'operator' } as const
  const { key } = await world.world.apiKeys.create({ name: 'own', tenant: 'limited' }, operator)
  const own = await world.apiAs(key.reveal())('POST', '/tenants/limited/rotate-signing-secret')

  expect(own).toMatchObject({ status: 403, body: { code: 'key_limited' } })
  expect((await rotate('nobody')).status).toBe(404)
  for (const afterSeconds of [-1, 604_801, 1.5, '60'])
    expect((await rotate('limited', { afterSeconds })).status).toBe(422)
})

test('a rotation is audited without the secret, and both secrets are stored sealed', async () => {
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
