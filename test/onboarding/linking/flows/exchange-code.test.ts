import { beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import { sealContext } from '../../../../src/onboarding/domain/seal-context.ts'
import { exchangeCode } from '../../../../src/onboarding/linking/flows/exchange-code.ts'
import { breaks, grantOf, isAway, refuses } from '../../../support/memory/doubles.ts'
import { byKey, client, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let link: Link
beforeEach(async () => {
  world = await openMemoryWorld()
  link = await world.addLink()
})

const exchange = () =>
  exchangeCode(
    world,
    world.settings,
  )({
    link,
    ready: { integration: world.integrations.find('files')!, client },
    code: new Secret('code'),
    verifier: new Secret('verifier'),
    nonce: 'nonce',
    issuer: undefined,
    config: {},
    actor: byKey,
  })
const found = async () => (await world.links.find(link.id)) as Link

test('the intent is written before the code is sent', async () => {
  let during: string | undefined
  const { exchange: send } = world.provider
  world.provider.exchange = async (request) => {
    during = (await found()).state
    return send(request)
  }

  await exchange()

  expect(during).toBe('exchanging')
})

test('from then on nobody who had the link before can write to it', async () => {
  let late: Link | undefined = link
  const { exchange: send } = world.provider
  world.provider.exchange = async (request) => {
    late = await world.links.postpone(link, 5, 'provider_unavailable')
    return send(request)
  }

  await exchange()

  expect(late).toBeUndefined()
})

test('the raw answer is in escrow, sealed, before anybody reads it', async () => {
  let during: string | undefined
  world.provider.exchange = async ({ keep }) => {
    await keep(new Secret('raw answer'))
    during = (await world.secrets.escrow(link.id))?.sealed
    return grantOf()
  }

  await exchange()

  expect(during).not.toContain('raw answer')
  expect(world.seal.open(during!, sealContext.escrow(link)).reveal()).toBe('raw answer')
})

test('a code that goes well ends in a connection, an event and an empty escrow', async () => {
  expect((await exchange()).state).toBe('linked')
  expect(await world.connections.find(link.connectionId)).toMatchObject({ status: 'active' })
  expect(await world.secrets.escrow(link.id)).toBeUndefined()
  expect(world.events()).toEqual(['link.succeeded'])
})

test.each([
  ['refuses the code', refuses('code_refused'), 'failed', 'code_refused'],
  ['refuses the client', refuses('client_rejected'), 'failed', 'client_rejected'],
  ['cannot be reached', isAway('provider_unavailable'), 'failed', 'provider_unavailable'],
  ['took the request and never answered', refuses('exchange_unknown'), 'exchange_unknown', 'exchange_unknown'],
] as const)('a provider that %s ends the link, and is not asked again', async (_, send, state, cause) => {
  let asked = 0
  world.provider.exchange = () => {
    asked++
    return send()
  }

  expect(await exchange()).toMatchObject({ state, cause })
  expect(asked).toBe(1)
  expect(world.events()).toEqual(['link.failed'])
})

test('of two who exchange one code, one sends it', async () => {
  await Promise.all([exchange(), exchange()])

  expect(world.provider.calls.filter((call) => call === 'exchange')).toHaveLength(1)
})

test('an error after the answer was stored does not lose the grant', async () => {
  world.provider.exchange = async ({ keep }) => {
    await keep(new Secret('refresh-1'))
    return isAway('provider_unavailable')()
  }

  expect(await exchange()).toMatchObject({ state: 'escrowed', attempts: 1, cause: 'provider_unavailable' })
  expect(await world.secrets.escrow(link.id)).toBeDefined()
})

test('a ledger that is away for a moment is asked again until the answer is kept', async () => {
  const { move } = world.links
  let failures = 3
  world.links.move = (from, to, ...rest) => (to === 'escrowed' && failures-- > 0 ? breaks() : move(from, to, ...rest))

  expect((await exchange()).state).toBe('linked')
})

test('an answer that was kept although the ledger’s answer was lost is not revoked', async () => {
  const { move } = world.links
  let isLost = false
  world.links.move = async (from, to, ...rest) => {
    const moved = await move(from, to, ...rest)
    if (to !== 'escrowed' || isLost) return moved
    isLost = true
    return breaks()
  }

  expect((await exchange()).state).toBe('linked')
  expect(world.provider.calls).not.toContain('revoke refresh-1')
})

test('a grant that cannot be kept is revoked: it must not exist', async () => {
  const { move } = world.links
  world.links.move = (from, to, ...rest) => (to === 'escrowed' ? breaks() : move(from, to, ...rest))

  await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable', cause: expect.any(TypeError) })
  expect(world.provider.calls).toContain('revoke refresh-1')
})

test('a grant of a link that was given up meanwhile is revoked', async () => {
  world.provider.exchange = async ({ keep }) => {
    await world.move(await found(), 'exchange_unknown', { cause: 'exchange_unknown', takeOver: true })
    await keep(new Secret('refresh-1'))
    return grantOf()
  }

  await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(world.provider.calls).toContain('revoke refresh-1')
  expect((await found()).state).toBe('exchange_unknown')
})

test('an error that nobody thought of is not taken for an answer of the provider', async () => {
  world.provider.exchange = breaks

  await expect(exchange()).rejects.toThrow(TypeError)
  expect((await found()).state).toBe('exchanging')
})
