import { beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { maxWrongCompletions } from '../../../../src/onboarding/domain/connect-session.ts'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import { type CompleteLink, completeLink } from '../../../../src/onboarding/linking/flows/complete-link.ts'
import { keepWaitingCode } from '../../../../src/onboarding/linking/flows/waiting-code.ts'
import { byBrowser, byKey, type MemoryWorld, ofTenant, openMemoryWorld } from '../../../support/memory/world.ts'

const verifier = 'v'.repeat(43)
let world: MemoryWorld
let link: Link
let input: CompleteLink

beforeEach(async () => {
  world = await openMemoryWorld()
  const session = await world.addSession({ completionChallenge: world.tokens.challenge(verifier) })
  link = await world.openLink(session)
  input = {
    caller: ofTenant('acme'),
    actor: byKey,
    sessionId: session.id,
    completionCode: world.tokens.completionCode(link.id),
    completionVerifier: verifier,
  }
})

const bringCode = async () => {
  const code = { code: new Secret('code'), verifier: new Secret('v'), nonce: 'nonce', issuer: undefined, config: {} }
  link = await keepWaitingCode(world, world.settings, link, code, byBrowser)
}
const complete = (more: Partial<CompleteLink> = {}) => completeLink(world, world.settings, { ...input, ...more })
const exchanges = () => world.provider.calls.filter((call) => call === 'exchange').length

test('a confirmed code is exchanged, and the link finishes', async () => {
  await bringCode()

  const { done } = await complete()

  expect((await done).state).toBe('linked')
  expect(exchanges()).toBe(1)
})

test('the provider receives the code and parameters of the callback', async () => {
  await bringCode()
  let sent: string[] = []
  const { exchange } = world.provider
  world.provider.exchange = (request) => {
    sent = [request.code.reveal(), request.verifier.reveal(), request.nonce]
    return exchange(request)
  }

  await (await complete()).done

  expect(sent).toEqual(['code', 'v', 'nonce'])
})

test('rejects a completion before the callback', async () => {
  await expect(complete()).rejects.toMatchObject({ code: 'completion_early' })
  expect(world.actions()).toContain('completion.rejected')
})

test('rejects a completion before the start in the same way', async () => {
  const { id } = await world.addSession()

  await expect(complete({ sessionId: id })).rejects.toMatchObject({ code: 'completion_early' })
})

test('completes a link once', async () => {
  await bringCode()
  await (await complete()).done

  await expect(complete()).rejects.toMatchObject({ code: 'completion_used' })
  expect(exchanges()).toBe(1)
})

test('of two concurrent completions one exchanges the code, and both return the outcome', async () => {
  await bringCode()

  const both = await Promise.all([complete(), complete()])
  await Promise.all(both.map(({ done }) => done))

  expect(exchanges()).toBe(1)
  expect((await world.links.find(link.id))?.state).toBe('linked')
})

test('rejects a completion of an ended link', async () => {
  await world.move(link, 'denied', { cause: 'consent_denied' })

  await expect(complete()).rejects.toMatchObject({ code: 'completion_late' })
})

test.each([
  ['code', { completionCode: 'guess' }],
  ['verifier', { completionVerifier: 'w'.repeat(43) }],
])('a wrong %s is rejected and audited, and spends nothing', async (_, wrong) => {
  await bringCode()

  await expect(complete(wrong)).rejects.toMatchObject({ code: 'completion_refused' })
  expect(world.actions()).toContain('completion.rejected')
  expect(exchanges()).toBe(0)
  expect((await (await complete()).done).state).toBe('linked')
})

test('repeated wrong completions end the link and notify the tenant', async () => {
  await bringCode()

  for (let tries = 0; tries < maxWrongCompletions; tries++) {
    await expect(complete({ completionCode: 'guess' })).rejects.toMatchObject({ code: 'completion_refused' })
  }

  expect(await world.links.find(link.id)).toMatchObject({ state: 'failed', cause: 'completion_refused' })
  expect(await world.secrets.waitingCode(link.id)).toBeUndefined()
  await expect(complete()).rejects.toMatchObject({ code: 'completion_late' })
  expect(world.events()).toEqual(['link.failed'])
})

test("another tenant's session reads like a missing one, even with the correct code", async () => {
  await bringCode()

  await expect(complete({ caller: ofTenant('other') })).rejects.toMatchObject({ code: 'not_found' })
  expect(exchanges()).toBe(0)
})

test('completions are rate limited', async () => {
  for (let tries = 0; tries < 10; tries++) await complete().catch(() => undefined)

  await expect(complete()).rejects.toMatchObject({ code: 'rate_limited' })
})

test('a missing code of a waiting link is reported as used', async () => {
  await bringCode()
  world.secrets.waitingCode = async () => undefined

  await expect(complete()).rejects.toMatchObject({ code: 'completion_used' })
})

test('a second consent has a new completion code, and the first no longer works', async () => {
  link = await world.move(link, 'authorizing', { forcedConsent: true })
  await bringCode()

  await expect(complete()).rejects.toMatchObject({ code: 'completion_refused' })
  const again = world.tokens.completionCode(`${link.id}:again`)
  expect((await (await complete({ completionCode: again })).done).state).toBe('linked')
})
