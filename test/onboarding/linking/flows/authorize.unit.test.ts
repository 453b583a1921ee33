import { beforeEach, expect, test } from 'vitest'
import type { AuthorizationRequest } from '../../../../src/onboarding/domain/ports/provider.ts'
import { sealContext } from '../../../../src/onboarding/domain/seal-context.ts'
import { authorize } from '../../../../src/onboarding/linking/flows/authorize.ts'
import type { ReadyIntegration } from '../../../../src/onboarding/tenants/flows/find-client.ts'
import { client, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let ready: ReadyIntegration
let asked: AuthorizationRequest[]
beforeEach(async () => {
  world = await openMemoryWorld()
  ready = { integration: world.integrations.find('files')!, client }
  asked = []
  world.provider.authorizationUrl = async (request) => {
    asked.push(request)
    return 'https://provider.example/'
  }
})

test('state, nonce and verifier are fresh for every authorization, and differ', async () => {
  const link = await world.addLink()
  await authorize(world, world.settings, link, ready, false)
  await authorize(world, world.settings, link, ready, false)

  const values = asked.flatMap(({ state, nonce, verifier }) => [state, nonce, verifier.reveal()])
  expect(new Set(values).size).toBe(6)
})

test('the verifier is sealed and opens only for its link', async () => {
  const link = await world.addLink()
  await authorize(world, world.settings, link, ready, false)
  const { state, verifier } = asked[0]!

  const by = { attempt: 'one', browsers: [link.browser], callback: 'files' }
  const claim = await world.pending.claim(state, by)

  const sealed = 'pending' in claim ? claim.pending.verifier : ''
  expect(sealed).not.toContain(verifier.reveal())
  expect(world.seal.open(sealed, sealContext.verifier(link.id)).reveal()).toContain(verifier.reveal())
  expect(() => world.seal.open(sealed, sealContext.verifier('lnk_other'))).toThrow()
})

test('a pending authorization expires', async () => {
  const link = await world.addLink()
  await authorize(world, world.settings, link, ready, false)
  world.clock.pass(world.settings.authorizationSeconds + 1)

  const by = { attempt: 'one', browsers: [link.browser], callback: 'files' }
  expect((await world.pending.claim(asked[0]!.state, by)).outcome).toBe('expired')
})

test('a first link forces consent only when required', async () => {
  const link = await world.addLink()
  await authorize(world, world.settings, link, ready, false)
  await authorize(world, world.settings, link, ready, true)

  expect(asked.map(({ forceConsent }) => forceConsent)).toEqual([false, true])
})

test('a re-link that got another account tells the user so', async () => {
  const connection = await world.addConnection()
  const link = await world.openLink(await world.addSession({ connectionId: connection.id }))
  await authorize(world, world.settings, { ...link, cause: 'account_mismatch' }, ready, false)

  expect(asked[0]).toMatchObject({ forceConsent: true, account: { label: 'user@files.example', missed: true } })
})

test('a re-link of a connection without an account requests none', async () => {
  const connection = await world.addConnection()
  world.connections.find = async () => ({ ...connection, account: undefined })
  const link = await world.openLink(await world.addSession({ connectionId: connection.id }))
  await authorize(world, world.settings, link, ready, false)

  expect(asked[0]?.account).toBeUndefined()
})
