import { beforeEach, expect, test } from 'vitest'
import { secretRotation } from '../../../../src/onboarding/domain/webhooks/webhook.ts'
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from '../../../../src/onboarding/webhooks/flows/manage-webhooks.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const wanted = {
  caller: ofTenant('acme'),
  actor: byKey,
  tenant: 'acme',
  url: 'https://hooks.example/',
  events: ['link.failed' as const],
}
const create = (more = {}) => createWebhook(world, { ...wanted, ...more })
const at = (webhook: string, caller = ofTenant('acme')) => ({ caller, actor: byKey, tenant: 'acme', webhook })

test('the secret of a new webhook is shown once and stored sealed', async () => {
  const { webhook, secret } = await create()

  expect(secret.reveal()).toMatch(/^whsec_/)
  expect(await listWebhooks(world, { caller: operator, tenant: 'acme' })).toEqual([webhook])
  expect(JSON.stringify([...world.tables.webhooks.values()])).not.toContain(secret.reveal())
  expect(JSON.stringify(world.tables.audit)).not.toContain(secret.reveal())
})

test('audits only the origin of the URL', async () => {
  await create({ url: 'https://hooks.example/hush?key=hush' })

  expect(JSON.stringify(world.tables.audit)).not.toContain('hush')
})

test('rejects a blocked URL before anything is stored', async () => {
  await expect(create({ url: 'http://hooks.example/' })).rejects.toMatchObject({
    code: 'input_invalid',
    more: { errors: [{ pointer: '/url' }] },
  })
  expect(await world.webhooks.list('acme')).toEqual([])
})

test('a tenant has at most ten webhooks', async () => {
  for (let count = 0; count < 10; count++) await create()

  await expect(create()).rejects.toMatchObject({ code: 'webhook_limit' })
})

test('a retried request returns the same webhook and secret', async () => {
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }
  const first = await create({ claim })
  const second = await create({ claim: { ...claim, isRetry: true } })

  expect(second.webhook).toEqual(first.webhook)
  expect(second.secret.reveal()).toBe(first.secret.reveal())
  expect(await world.webhooks.list('acme')).toHaveLength(1)
})

test('a retried request creates the webhook if the first did not', async () => {
  const claim = { id: 'key', fence: 1, seed: world.tokens.id('idm'), isRetry: true }

  await create({ claim })

  expect(await world.webhooks.list('acme')).toHaveLength(1)
})

test("another tenant's webhooks read like missing ones", async () => {
  await world.addTenant('other')
  const { webhook } = await create()
  const caller = ofTenant('other')

  await expect(create({ caller })).rejects.toMatchObject({ code: 'not_found' })
  await expect(listWebhooks(world, { caller, tenant: 'acme' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(deleteWebhook(world, at(webhook.id, caller))).rejects.toMatchObject({ code: 'not_found' })
  await expect(rotateWebhookSecret(world, at(webhook.id, caller))).rejects.toMatchObject({ code: 'not_found' })
  await expect(deleteWebhook(world, { ...at(webhook.id, caller), tenant: 'other' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('rejects deleting a deleted webhook', async () => {
  const { webhook } = await create()
  await deleteWebhook(world, at(webhook.id))

  await expect(deleteWebhook(world, at(webhook.id))).rejects.toMatchObject({ code: 'not_found' })
})

test('a rotation creates a new secret, and the previous one signs for a day', async () => {
  const { webhook, secret } = await create()
  const rotated = await rotateWebhookSecret(world, at(webhook.id))

  expect(rotated.secret.reveal()).not.toBe(secret.reveal())
  expect(rotated.webhook.previousSecretsExpireAt).toEqual([
    new Date(world.now().getTime() + secretRotation.overlapSeconds * 1_000),
  ])
})

test('limits rotations and reports when the next one is possible', async () => {
  const { webhook } = await create()
  for (let count = 0; count < secretRotation.maxEarlier; count++) await rotateWebhookSecret(world, at(webhook.id))

  const refused = await rotateWebhookSecret(world, at(webhook.id)).catch((error) => error)

  expect(refused).toMatchObject({ code: 'webhook_secret_limit' })
  expect(refused.detail).toContain('2026-03-03T09:00:00.000Z')
})

test('a webhook that is deleted while its secret is rotated reads as missing', async () => {
  const { webhook } = await create()
  world.webhooks.rotateSecret = async () => {
    await world.webhooks.delete('acme', webhook.id, auditEntry('webhook.deleted'))
    return false
  }

  await expect(rotateWebhookSecret(world, at(webhook.id))).rejects.toMatchObject({ code: 'not_found' })
})

test('enabling is idempotent and audited once', async () => {
  const { webhook } = await create()
  await world.webhooks.disable(webhook, auditEntry('webhook.disabled'))

  const enabled = [await enableWebhook(world, at(webhook.id)), await enableWebhook(world, at(webhook.id))]

  expect(enabled.map(({ status }) => status)).toEqual(['active', 'active'])
  expect(world.actions().filter((action) => action === 'webhook.enabled')).toHaveLength(1)
})

test('disabling is idempotent and audited once with its reason', async () => {
  const { webhook } = await create()

  const disabled = [
    await disableWebhook(world, { ...at(webhook.id), reason: 'ticket 7' }),
    await disableWebhook(world, at(webhook.id)),
  ]

  expect(disabled.map(({ status }) => status)).toEqual(['disabled', 'disabled'])
  expect(world.actions().filter((action) => action === 'webhook.disabled')).toHaveLength(1)
  await expect(disableWebhook(world, at(webhook.id, ofTenant('other')))).rejects.toMatchObject({ code: 'not_found' })
})
