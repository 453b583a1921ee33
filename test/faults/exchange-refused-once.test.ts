// F17: a token request is retried once, and only if the connection was refused before any byte was sent.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type CuttingProxy, startCuttingProxy } from '../support/doubles/cutting-proxy.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let tokenLine: CuttingProxy

beforeAll(async () => {
  tokenLine = await startCuttingProxy()
  world = await startOnboarding({ egressAllow: [tokenLine.host], env: { VERIFY_FUNCTIONS: 'false' } })
  tokenLine.toward(world.provider.port)
  world.provider.misbehave({ metadata: { token_endpoint: `${tokenLine.url}/token` } })
})
afterAll(async () => {
  await world.close()
  tokenLine.close()
})

/** Reports refused connections to the token endpoint, before the retry. */
function onRefusal(tell: () => void) {
  const heard = (message: unknown) => {
    const { connectParams, error } = message as { connectParams: { port: string }; error: { code: string } }
    if (Number(connectParams.port) === tokenLine.port && error.code === 'ECONNREFUSED') tell()
  }
  subscribe('undici:client:connectError', heard)
  onTestFinished(() => void unsubscribe('undici:client:connectError', heard))
}

test('F17, refused once: the link ends linked with one token request', async () => {
  let refusals = 0
  onRefusal(() => {
    refusals++
    void tokenLine.pass()
  })
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  tokenLine.refuse()

  const { body } = await world.complete(minted, query)

  expect(body).toMatchObject({ status: 'linked' })
  expect(refusals).toBe(1)
  expect(world.provider.seen.tokenRequests).toHaveLength(1)
})

test('F17, refused twice: there is no third attempt, and the provider never receives the code', async () => {
  let refusals = 0
  onRefusal(() => refusals++)
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  world.provider.seen.tokenRequests.length = 0
  tokenLine.refuse()

  const { body } = await world.complete(minted, query)

  expect(body).toMatchObject({ status: 'failed', cause: { code: 'provider_unavailable' } })
  expect(refusals).toBe(2)
  expect(world.provider.seen.tokenRequests).toEqual([])
})
