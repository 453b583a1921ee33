import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import { sealContext } from '../../../../src/onboarding/domain/seal-context.ts'
import { exchangeCode } from '../../../../src/onboarding/linking/flows/exchange-code.ts'
import { sweepLinks } from '../../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { breaks, grantOf, isAway, refuses } from '../../../support/memory/doubles.ts'
import { byKey, client, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let link: Link
beforeEach(async () => {
  world = await openMemoryWorld()
  link = await world.addLink()
})

const exchange = () =>
  exchangeCode(world, world.settings, {
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

test('records the intent before it sends the code', async () => {
  let during: string | undefined
  const { exchange: send } = world.provider
  world.provider.exchange = async (request) => {
    during = (await found()).state
    return send(request)
  }

  await exchange()

  expect(during).toBe('exchanging')
})

test('earlier workers can no longer write to the link', async () => {
  let late: Link | undefined = link
  const { exchange: send } = world.provider
  world.provider.exchange = async (request) => {
    late = await world.links.postpone(link, 5, 'provider_unavailable')
    return send(request)
  }

  await exchange()

  expect(late).toBeUndefined()
})

test('stores the sealed raw response in escrow before parsing it', async () => {
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

test('a successful code results in a connection, an event and an empty escrow', async () => {
  expect((await exchange()).state).toBe('linked')
  expect(await world.connections.find(link.connectionId)).toMatchObject({ status: 'active' })
  expect(await world.secrets.escrow(link.id)).toBeUndefined()
  expect(world.events()).toEqual(['link.succeeded'])
})

test.each([
  ['rejects the code', refuses('code_refused'), 'failed', 'code_refused'],
  ['rejects the client', refuses('client_rejected'), 'failed', 'client_rejected'],
  ['is unreachable', isAway('provider_unavailable'), 'failed', 'provider_unavailable'],
  ['received the request and never responded', refuses('exchange_unknown'), 'exchange_unknown', 'exchange_unknown'],
] as const)('a provider that %s ends the link without a retry', async (_, send, state, cause) => {
  let asked = 0
  world.provider.exchange = () => {
    asked++
    return send()
  }

  expect(await exchange()).toMatchObject({ state, cause })
  expect(asked).toBe(1)
  expect(world.events()).toEqual(['link.failed'])
})

test('of two concurrent exchanges one sends the code', async () => {
  await Promise.all([exchange(), exchange()])

  expect(world.provider.calls.filter((call) => call === 'exchange')).toHaveLength(1)
})

test('an error after the response was stored does not lose the grant', async () => {
  world.provider.exchange = async ({ keep }) => {
    await keep(new Secret('refresh-1'))
    return isAway('provider_unavailable')()
  }

  expect(await exchange()).toMatchObject({ state: 'escrowed', attempts: 1, cause: 'provider_unavailable' })
  expect(await world.secrets.escrow(link.id)).toBeDefined()
})

test('retries a briefly unavailable ledger until the response is stored', async () => {
  const { move } = world.links
  let failures = 3
  world.links.move = (from, to, ...rest) => (to === 'escrowed' && failures-- > 0 ? breaks() : move(from, to, ...rest))

  expect((await exchange()).state).toBe('linked')
})

test('does not revoke a response that was stored although the commit response was lost', async () => {
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

test('leaves the link to a worker that took it over while the ledger did not answer', async () => {
  const { move } = world.links
  let taken: Link | undefined
  world.links.move = async (from, to, ...rest) => {
    const moved = await move(from, to, ...rest)
    if (to !== 'escrowed' || taken) return moved
    world.clock.pass(60)
    ;[taken] = await world.links.claimDue({ limit: 1, perTenant: 1 })
    return breaks()
  }

  expect(await exchange()).toEqual(taken)
  expect(world.platform.calls).toEqual([])
})

test('revokes a grant that the ledger did not store', async () => {
  const { move } = world.links
  world.links.move = (from, to, ...rest) => (to === 'escrowed' ? breaks() : move(from, to, ...rest))

  await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable', cause: expect.any(TypeError) })
  expect(world.provider.calls).toContain('revoke refresh-1')
})

test('revokes a grant after few attempts if the program is about to end', async () => {
  const { move } = world.links
  let tries = 0
  world.links.move = (from, to, ...rest) => {
    if (to !== 'escrowed') return move(from, to, ...rest)
    tries++
    return breaks()
  }
  world.background = { ...world.background, isHurried: () => true }

  await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(tries).toBe(3)
  expect(world.provider.calls).toContain('revoke refresh-1')
})

describe('a link that another worker ended while the provider answered', () => {
  const endsMeanwhile = async () => {
    const { exchange: send } = world.provider
    world.provider.exchange = async (request) => {
      await world.move(await found(), 'exchange_unknown', { takeOver: true })
      return send(request)
    }
    await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable' })
    return world.provider.calls
  }

  test('revokes its grant', async () => {
    expect(await endsMeanwhile()).toContain('revoke refresh-1')
  })

  describe('at a provider that revokes all grants of an account', () => {
    beforeEach(async () => {
      world = await openMemoryWorld({ integration: { revocation: { reach: 'grant' } } })
    })

    test('revokes its grant if the account is not connected', async () => {
      link = await world.addLink()

      expect(await endsMeanwhile()).toContain('revoke refresh-1')
    })

    test('does not revoke it if a connection uses the account', async () => {
      await world.addConnection({ endUser: { id: 'user-2' } })
      link = await world.addLink()

      expect(await endsMeanwhile()).not.toContain('revoke refresh-1')
    })

    test('does not revoke it if an earlier link of the user is being processed', async () => {
      await world.escrow(await world.addLink())
      link = await world.addLink()

      expect(await endsMeanwhile()).not.toContain('revoke refresh-1')
    })

    test('does not revoke it if such a link ends while the ledger is asked', async () => {
      const earlier = await world.escrow(await world.addLink())
      link = await world.addLink()
      const { sharesConsent } = world.storedGrants
      world.storedGrants.sharesConsent = async (query) => {
        const isShared = await sharesConsent(query)
        await world.finish(earlier)
        return isShared
      }

      expect(await endsMeanwhile()).not.toContain('revoke refresh-1')
    })

    test('does not revoke it if the ledger does not answer', async () => {
      link = await world.addLink()
      world.links.hasConsentUnderWay = breaks

      expect(await endsMeanwhile()).not.toContain('revoke refresh-1')
    })
  })
})

test('does not deliver a revoked grant that the ledger shows later', async () => {
  const { move } = world.links
  let commit: (() => Promise<unknown>) | undefined
  world.links.move = (from, to, ...rest) => {
    if (to !== 'escrowed') return move(from, to, ...rest)
    commit ??= () => move(from, to, ...rest)
    return breaks()
  }
  await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable' })
  world.links.move = move
  await commit?.()
  world.clock.pass(3_600)

  await sweepLinks(world, world.settings)

  expect(world.provider.calls).toContain('revoke refresh-1')
  expect(await found()).toMatchObject({ state: 'failed', cause: 'grant_unusable' })
  expect(world.platform.calls).toEqual([])
})

test('revokes a grant that the ledger shows later if it could not ask before who shares it', async () => {
  world = await openMemoryWorld({ integration: { revocation: { reach: 'grant' } } })
  link = await world.addLink()
  const { move, hasConsentUnderWay } = world.links
  let commit: (() => Promise<unknown>) | undefined
  world.links.move = (from, to, ...rest) => {
    if (to !== 'escrowed') return move(from, to, ...rest)
    commit ??= () => move(from, to, ...rest)
    return breaks()
  }
  world.links.hasConsentUnderWay = breaks
  await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable' })
  Object.assign(world.links, { move, hasConsentUnderWay })
  await commit?.()
  world.clock.pass(3_600)
  const before = [...world.provider.calls]

  await sweepLinks(world, world.settings)

  expect(before).not.toContain('revoke refresh-1')
  expect(world.provider.calls).toContain('revoke refresh-1')
  expect(await found()).toMatchObject({ state: 'failed', cause: 'grant_unusable' })
})

test('does not revoke a grant that another process has taken over', async () => {
  const { move } = world.links
  world.links.move = (from, to, ...rest) => (to === 'escrowed' ? breaks() : move(from, to, ...rest))
  await world.marks.claim('grant', link.id, 'delivered')

  await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(world.provider.calls).not.toContain('revoke refresh-1')
})

test('does not revoke a grant if neither store can say who has it', async () => {
  const { move } = world.links
  const { claim } = world.marks
  world.links.move = (from, to, ...rest) => (to === 'escrowed' ? breaks() : move(from, to, ...rest))
  world.marks.claim = (register, ...rest) => (register === 'grant' ? breaks() : claim(register, ...rest))

  await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(world.provider.calls).not.toContain('revoke refresh-1')
})

test('does not send a code again after the ledger lost the intent', async () => {
  const before = world.tables.links.get(link.id)!
  await exchange()
  world.tables.links.set(link.id, before)

  expect(await exchange()).toMatchObject({ state: 'exchange_unknown' })
  expect(world.provider.calls.filter((call) => call === 'exchange')).toHaveLength(1)
})

const rowOf = () => world.tables.links.get(link.id)!
const loseExchange = (before: ReturnType<typeof rowOf>) => {
  world.tables.links.set(link.id, before)
  world.tables.connections.clear()
  world.clock.pass(901)
}

test('a link whose sent code the ledger lost ends exchange_unknown, not abandoned', async () => {
  const before = rowOf()
  world.provider.exchange = refuses('exchange_unknown')
  await exchange()
  loseExchange(before)

  await sweepLinks(world, world.settings)

  expect(await found()).toMatchObject({ state: 'exchange_unknown' })
})

test('a link that the ledger lost is found again by its connection on the platform', async () => {
  const before = rowOf()
  await exchange()
  loseExchange(before)
  world.platform.findConnection = async () => ({ isThere: true })

  await sweepLinks(world, world.settings)

  expect(await found()).toMatchObject({ state: 'linked' })
  expect(await world.connections.find(link.connectionId)).toMatchObject({ status: 'active' })
  expect(world.provider.calls.filter((call) => call === 'exchange')).toHaveLength(1)
})

test('sends no code while Redis is unavailable', async () => {
  world.marks.claim = breaks

  await expect(exchange()).rejects.toThrow(TypeError)
  expect(world.provider.calls).not.toContain('exchange')
})

test('asks the user to start again if the ledger lost the link', async () => {
  world.tables.links.delete(link.id)

  await expect(exchange()).rejects.toMatchObject({ code: 'callback_unknown' })
  expect(world.provider.calls).not.toContain('exchange')
})

test('revokes the grant of a link that has ended', async () => {
  world.provider.exchange = async ({ keep }) => {
    await world.move(await found(), 'exchange_unknown', { cause: 'exchange_unknown', takeOver: true })
    await keep(new Secret('refresh-1'))
    return grantOf()
  }

  await expect(exchange()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(world.provider.calls).toContain('revoke refresh-1')
  expect((await found()).state).toBe('exchange_unknown')
})

test('an unexpected error is not treated as a provider response', async () => {
  world.provider.exchange = breaks

  await expect(exchange()).rejects.toThrow(TypeError)
  expect((await found()).state).toBe('exchanging')
})
