// O13: the user who unticked a permission can act immediately, so the link does not wait for support.
import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { statusOf } from '../../../src/onboarding/domain/link.ts'
import { exchangeCode } from '../../../src/onboarding/linking/flows/exchange-code.ts'
import { endStalledLink } from '../../../src/onboarding/provisioning/flows/stalled-links/end-stalled-link.ts'
import { resumeLink } from '../../../src/onboarding/provisioning/flows/stalled-links/resume-link.ts'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { grantOf } from '../../support/memory/doubles.ts'
import {
  byKey,
  bySupport,
  client,
  type MemoryWorld,
  ofTenant,
  openMemoryWorld,
  operator,
} from '../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

/** The user allowed nothing of what is needed. */
const untick = (more: Parameters<MemoryWorld['addLink']> = []) => consent('refresh-1', [], more)

async function consent(token: string, scopes: string[], more: Parameters<MemoryWorld['addLink']> = []): Promise<Link> {
  world.provider.exchange = async ({ keep }) => {
    await keep(new Secret(token))
    return grantOf({ scopes })
  }
  const ready = { integration: world.integrations.find('files')!, client }
  const request = {
    code: new Secret('code'),
    verifier: new Secret('verifier'),
    nonce: 'nonce',
    issuer: undefined,
    config: {},
  }
  const link = await world.addLink(...more)
  return exchangeCode(world, world.settings, { link, ready, actor: byKey, ...request })
}

const found = async ({ id }: Link) => (await world.links.find(id)) as Link

/** A worker looks in, each time well after the pause that was asked for. */
async function sweep(rounds: number) {
  for (let round = 0; round < rounds; round++) {
    world.clock.pass(120)
    await sweepLinks(world, world.settings)
  }
}

const missing = { cause: 'scope_missing', missingScopes: ['files.read'] }

test.each(['revoked', 'not_offered'] as const)(
  'O13: the link ends immediately with an event, and the audit entry says that the grant was %s',
  async (outcome) => {
    world.provider.revoke = async () => outcome

    const ended = await untick()

    expect(ended).toMatchObject({ state: 'failed', ...missing })
    expect(world.events()).toEqual(['link.failed'])
    expect(await world.secrets.escrow(ended.id)).toBeUndefined()
    expect(world.tables.audit.at(-1)?.entry).toMatchObject({ facts: { cause: 'scope_missing', grant: outcome } })
  },
)

test('O13: does not revoke a grant that another connection uses', async () => {
  world = await openMemoryWorld({ integration: { revocation: { reach: 'grant' } } })
  await world.addConnection()

  expect(await untick()).toMatchObject({ state: 'failed', ...missing })
  expect(world.provider.calls).not.toContain('revoke refresh-1')
  expect(world.tables.audit.at(-1)?.entry).toMatchObject({ facts: { grant: 'shared' } })
})

describe('O13: if the provider does not revoke it', () => {
  test('reports the end once and immediately, and revokes the grant when the provider is available', async () => {
    const { revoke } = world.provider
    world.provider.revoke = async () => 'refused'

    const ended = await untick()
    const told = world.events()
    await sweep(2)
    const kept = await world.secrets.escrow(ended.id)
    world.provider.revoke = revoke
    await sweep(1)

    expect([statusOf(ended.state), told]).toEqual(['failed', ['link.failed']])
    expect(ended).toMatchObject(missing)
    expect(kept).toBeDefined()
    expect(await found(ended)).toMatchObject({ state: 'failed', ...missing })
    expect(await world.secrets.escrow(ended.id)).toBeUndefined()
    expect(world.provider.calls).toContain('revoke refresh-1')
    expect(world.events()).toEqual(['link.failed'])
  })

  test('the link finally needs attention, and support ends it without a second event', async () => {
    world.provider.revoke = async () => 'refused'
    const ended = await untick()
    await sweep(20)
    const parked = await found(ended)

    const request = { caller: operator, actor: bySupport, id: ended.id, reason: 'ticket 42' }
    await (await endStalledLink(world, world.settings, request)).done

    expect(parked).toMatchObject({ state: 'needs_attention', resumeFrom: 'revoking', ...missing })
    expect(await found(ended)).toMatchObject({ state: 'failed', ...missing })
    expect(world.events()).toEqual(['link.failed'])
  })

  test('a re-link also ends immediately, and the connection is unchanged', async () => {
    const connection = await world.addConnection()
    world.provider.revoke = async () => 'refused'

    const ended = await untick([{ connectionId: connection.id }])

    expect(statusOf(ended.state)).toBe('failed')
    expect(world.events()).toEqual(['link.failed'])
    expect(await world.found(connection.id)).toEqual(connection)
  })
})

describe('A2: a link whose end was reported sends no second event', () => {
  const end = async ({ id }: Link) =>
    (await endStalledLink(world, world.settings, { caller: operator, actor: bySupport, id, reason: 'ticket 42' })).done

  const ways: Array<[way: string, take: (ended: Link) => Promise<unknown>]> = [
    [
      'the tenant resumes it',
      async ({ id }) => {
        await sweep(20)
        return (await resumeLink(world, world.settings, { caller: ofTenant('acme'), actor: byKey, id })).done
      },
    ],
    [
      'workers are lost over it',
      async (ended) => {
        const { revoke } = world.provider
        world.provider.revoke = () => Promise.reject(new Error('this worker is lost'))
        for (let lost = 0; lost < 5; lost++) await sweep(1).catch(() => undefined)
        world.provider.revoke = revoke
        return end(ended)
      },
    ],
    [
      'its integration is removed',
      async (ended) => {
        world.removeIntegration('files')
        await sweep(1)
        return end(ended)
      },
    ],
  ]
  test.each(ways)('%s', async (_, take) => {
    world.provider.revoke = async () => 'refused'
    const ended = await untick()

    await take(ended)

    expect(world.events()).toEqual(['link.failed'])
    expect(await found(ended)).toMatchObject(missing)
  })
})

test('A3: a late revocation does not end the user’s newer consent', async () => {
  world = await openMemoryWorld({ integration: { revocation: { reach: 'grant' } } })
  const { revoke } = world.provider
  const { createConnection } = world.platform
  world.provider.revoke = async () => 'refused'
  const ended = await untick()
  world.platform.createConnection = () => Promise.reject(new DependencyError('platform_unavailable', { retry: {} }))
  const second = await consent('refresh-2', ['files.read'])

  world.provider.revoke = revoke
  await sweep(1)
  world.platform.createConnection = createConnection
  await sweep(1)

  expect(world.provider.calls).not.toContain('revoke refresh-1')
  expect(await found(ended)).toMatchObject({ state: 'failed', ...missing })
  expect(await found(second)).toMatchObject({ state: 'linked' })
})
