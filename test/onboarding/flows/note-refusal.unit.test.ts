import { expect, test } from 'vitest'
import { foreignRule, noteRefusal } from '../../../src/onboarding/flows/note-refusal.ts'
import { byKey, openMemoryWorld } from '../../support/memory/world.ts'

test('R4: repeated access to another tenant’s resources does not flood that tenant’s log', async () => {
  const world = await openMemoryWorld()

  const denied = (id: string) =>
    noteRefusal(world, {
      action: 'authz.denied',
      actor: { ...byKey, id },
      subject: { kind: 'tenant', id: 'acme' },
      tenant: 'acme',
      facts: { keyTenantId: 'globex' },
    })
  const noted = (id: string) =>
    world.tables.audit.filter(({ entry }) => entry.action === 'authz.denied' && entry.actor.id === id).length

  for (let at = 0; at < foreignRule.max + 50; at++) await denied('key_of_globex')
  await denied('key_of_another')

  expect([noted('key_of_globex'), noted('key_of_another')]).toEqual([foreignRule.max, 1])
})
