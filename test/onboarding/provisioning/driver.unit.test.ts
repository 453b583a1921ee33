// The driver carries out what steps decide: one test per kind of decision, and what happens when the link is lost.
import { expect, test } from 'vitest'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { grant, provisioningInMemory } from '../../support/worlds/provisioning-in-memory.ts'

const actionsOf = ({ entries }: ReturnType<typeof provisioningInMemory>) => entries.map(({ action }) => action)

const fails =
  (...args: ConstructorParameters<typeof DependencyError>) =>
  () => {
    throw new DependencyError(...args)
  }

test('a first link creates a connection and a function, verifies it and writes two moves', async () => {
  const world = provisioningInMemory()

  const link = await world.run({ grant: grant() })

  expect(link.state).toBe('linked')
  expect(world.calls.made).toEqual(['createConnection', 'createFunction', 'verifyFunction'])
  expect(actionsOf(world)).toEqual(['link.function_ready', 'link.linked'])
  expect(world.entries[0]).toMatchObject({
    actor: { kind: 'worker', requestId: 'req_1' },
    tenant: 'acme',
    link: 'lnk_1',
  })
  expect(world.changed.at(-1)).toMatchObject({ escrow: null, event: { name: 'link.succeeded' } })
})

test('a first link without verification writes one move', async () => {
  const world = provisioningInMemory()
  world.settings.verifyFunctions = false

  await world.run({ grant: grant() })

  expect(actionsOf(world)).toEqual(['link.linked'])
})

test('requests a slow function once, and records the connection first', async () => {
  const world = provisioningInMemory()
  let arrive = () => {}
  world.calls.instead.createFunction = () =>
    new Promise((resolve) => {
      arrive = () => resolve({ url: 'https://late.example' })
    })
  const { move } = world.ports.links
  world.ports.links.move = async (...args) => {
    const moved = await move(...args)
    arrive()
    return moved
  }

  const link = await world.run({ grant: grant() })

  expect(actionsOf(world)).toEqual(['link.connection_ready', 'link.function_ready', 'link.linked'])
  expect(world.calls.made.filter((name) => name === 'createFunction')).toHaveLength(1)
  expect(link.functionUrl).toBe('https://late.example')
})

test('a new worker reads the escrow and continues from the current state', async () => {
  const world = provisioningInMemory({ link: { state: 'connection_ready' } })

  const link = await world.run()

  expect(link.state).toBe('linked')
  expect(world.calls.made).toEqual(['createFunction', 'verifyFunction'])
})

test('retry: keeps the state and ends the run', async () => {
  const world = provisioningInMemory({ link: { attempts: 2 } })
  world.calls.instead.createConnection = fails('platform_unavailable', { retry: { afterSeconds: 7 } })

  const link = await world.run({ grant: grant() })

  expect(link).toMatchObject({ state: 'escrowed', cause: 'platform_unavailable', attempts: 3 })
  expect(link.nextAttemptAt).toEqual(new Date(7_000))
  expect(world.calls.made).toEqual(['createConnection'])
  expect(world.entries).toEqual([])
})

test('park: needs attention at the failed step, and nothing is revoked', async () => {
  const world = provisioningInMemory({ link: { state: 'function_ready', functionUrl: 'https://function.example' } })
  world.calls.instead.verifyFunction = fails('platform_refused', { detail: '403' })

  const link = await world.run()

  expect(link).toMatchObject({ state: 'needs_attention', cause: 'platform_refused', resumeFrom: 'function_ready' })
  expect(world.entries).toMatchObject([
    { action: 'link.needs_attention', facts: { cause: 'platform_refused', detail: '403' } },
  ])
  expect(world.changed[0]).not.toHaveProperty('escrow')
  expect(world.calls.made).toEqual(['verifyFunction'])
})

test('O3: a function that failed to start is replaced, and the platform’s message is audited', async () => {
  const says = 'The integration crm is not known here: add it to the integrations file (INTEGRATIONS_FILE).'
  const world = provisioningInMemory({
    link: { state: 'function_ready', functionUrl: 'https://function.example', attempts: 12 },
  })
  world.calls.instead.verifyFunction = fails('function_failed', { retry: {}, detail: 'verification' })
  world.calls.instead.restartFunction = () => ({ message: says })

  const link = await world.run()

  expect(world.calls.made).toEqual(['verifyFunction', 'restartFunction'])
  expect(link).toMatchObject({ state: 'needs_attention', cause: 'function_failed', resumeFrom: 'function_ready' })
  expect(world.entries).toMatchObject([{ action: 'link.needs_attention', facts: { detail: says } }])
})

test('O3: a failed function is replaced occasionally and read every time', async () => {
  const world = provisioningInMemory({ link: { state: 'function_ready', functionUrl: 'https://function.example' } })
  world.calls.instead.verifyFunction = fails('function_failed', { retry: {}, detail: 'verification' })

  for (let attempts = 0; attempts < 4; attempts++) {
    world.takeOver({ attempts, nextAttemptAt: undefined })
    await world.run()
  }

  const looks = world.calls.made.filter((name) => name !== 'verifyFunction')
  expect(looks).toEqual(['restartFunction', 'lookAtFunction', 'lookAtFunction', 'restartFunction'])
})

test('fail with revoke: revokes the grant, then ends the link with an event', async () => {
  const world = provisioningInMemory()

  const link = await world.run({ grant: grant({ scopes: [] }) })

  expect(link).toMatchObject({ state: 'failed', cause: 'scope_missing', missingScopes: ['files.read'] })
  expect(world.calls.made).toEqual(['revoke'])
  expect(world.entries).toMatchObject([{ action: 'link.failed', facts: { cause: 'scope_missing', grant: 'revoked' } }])
  expect(world.changed[0]).toMatchObject({ escrow: null, takeOver: true, event: { name: 'link.failed' } })
})

test('fail without revoke: wipes a grant that shares its consent with one in use', async () => {
  const world = provisioningInMemory({ integration: { revocation: { reach: 'grant' } } })
  world.ports.storedGrants.sharesConsent = async () => true

  const link = await world.run({ grant: grant({ scopes: [] }) })

  expect(link.state).toBe('failed')
  expect(world.calls.made).toEqual([])
  expect(world.entries).toMatchObject([{ facts: { cause: 'scope_missing', grant: 'shared' } }])
})

test('R7: a link continues and is revoked with the client it started with', async () => {
  const world = provisioningInMemory({ integration: { client: { id: 'shared-client', secret: undefined } } })
  const clients: string[] = []
  world.ports.secrets.escrow = async () => ({ sealed: 'raw', trialRefresh: undefined, clientId: 'shared-client' })
  world.ports.platform.createConnection = async (_at, { client }) => void clients.push(client?.id ?? '')
  world.ports.provider.revoke = async ({ client }) => {
    clients.push(`revoked by ${client.id}`)
    return 'revoked'
  }
  world.calls.instead.createFunction = fails('grant_unusable')

  const link = await world.run()

  expect(link.state).toBe('failed')
  expect(clients).toEqual(['shared-client', 'revoked by shared-client'])
})

test('R7: a grant of a replaced client is neither provisioned nor revoked by another client', async () => {
  const world = provisioningInMemory()
  world.ports.secrets.escrow = async () => ({ sealed: 'raw', trialRefresh: undefined, clientId: 'client-before' })

  const link = await world.run()

  expect(link).toMatchObject({ cause: 'grant_unusable' })
  expect(world.calls.made).toEqual([])
  expect(world.entries.at(-1)).toMatchObject({ facts: { cause: 'grant_unusable', grant: 'client_gone' } })
})

test('a token response without a grant is handled like a failed step', async () => {
  const world = provisioningInMemory()

  const link = await world.run({ error: new DependencyError('identity_invalid', { detail: 'iat' }) })

  expect(link).toMatchObject({ state: 'failed', cause: 'identity_invalid' })
  expect(world.calls.made).toEqual(['revoke'])
})

test('an unexpected error is thrown, and the next worker continues', async () => {
  const world = provisioningInMemory()
  world.calls.instead.createConnection = () => {
    throw new TypeError('a bug')
  }

  await expect(world.run({ grant: grant() })).rejects.toThrow('a bug')
  expect(world.now()).toMatchObject({ state: 'escrowed', attempts: 0 })
})

test.each([
  { calls: 'createConnection', done: ['createConnection'] },
  { calls: 'createFunction', done: ['createConnection', 'createFunction'] },
  { calls: 'verifyFunction', done: ['createConnection', 'createFunction', 'verifyFunction'] },
])('stops calling for a link that is lost during $calls, and returns the other worker’s result', async (lost) => {
  const world = provisioningInMemory()
  world.calls.instead[lost.calls] = () => {
    world.takeOver()
    return { url: 'https://function.example' }
  }

  const link = await world.run({ grant: grant() })

  expect(world.calls.made).toEqual(lost.done)
  expect(link).toEqual(world.now())
  expect(link.fence).toBe(1)
})

test('stops calling for a link that is lost while it ends, and returns the other worker’s result', async () => {
  const world = provisioningInMemory()
  const { move } = world.ports.links
  world.ports.links.move = async (from, to, ...rest) => {
    if (to === 'failed' && from.fence === 0) world.takeOver()
    return move(from, to, ...rest)
  }

  const link = await world.run({ grant: grant({ scopes: [] }) })

  expect(world.calls.made).toEqual(['revoke'])
  expect(link).toEqual(world.now())
  expect(link.state).toBe('escrowed')
})

test('makes no calls for a link that was lost before', async () => {
  const world = provisioningInMemory()
  const stale = world.now()
  world.takeOver()

  await world.run({ grant: grant() }, stale)

  expect(world.calls.made).toEqual([])
  expect(world.entries).toEqual([])
})

test('does not revoke the grant of a lost link, because it may be in use', async () => {
  const world = provisioningInMemory()
  const stale = world.now()
  world.takeOver({ state: 'linked' })

  const link = await world.run({ grant: grant({ scopes: [] }) }, stale)

  expect(link.state).toBe('linked')
  expect(world.calls.made).toEqual([])
})

test.each<{ ended: Partial<Link>; status: 'active' | 'disconnected'; removed: boolean }>([
  { ended: { state: 'linked' }, status: 'active', removed: false },
  { ended: { state: 'linked' }, status: 'disconnected', removed: true },
  { ended: { state: 'failed' }, status: 'active', removed: true },
])(
  'deletes resources created after the link was lost, unless they are in use: $ended.state, $status',
  async (other) => {
    const world = provisioningInMemory()
    world.stored.connection = { ...world.stored.connection, status: other.status }
    world.calls.instead.createFunction = () => {
      world.takeOver(other.ended)
      return { url: 'https://function.example' }
    }

    await world.run({ grant: grant() })

    const after = world.calls.made.slice(2)
    expect(after).toEqual(other.removed ? ['deleteFunction', 'deleteConnection'] : [])
  },
)

test('a re-link tries the new grant, replaces the current one and revokes it once the function works', async () => {
  const world = provisioningInMemory({ link: { kind: 'relink' } })

  const link = await world.run({ grant: grant() })

  expect(link.state).toBe('linked')
  expect(world.calls.made).toEqual(['refresh', 'replaceConnection', 'verifyFunction', 'revoke'])
  expect(actionsOf(world)).toEqual([
    'link.testing',
    'link.tested',
    'link.connection_ready',
    'link.function_ready',
    'link.verified',
    'link.linked',
  ])
})

test('a re-link whose function rejects the new grant is rolled back in the same run', async () => {
  const world = provisioningInMemory({ link: { kind: 'relink' } })
  world.calls.instead.verifyFunction = fails('platform_refused')

  const link = await world.run({ grant: grant() })

  expect(link).toMatchObject({ state: 'failed', cause: 'relink_rolled_back' })
  expect(world.calls.made).toEqual(['refresh', 'replaceConnection', 'verifyFunction', 'replaceConnection', 'revoke'])
})

test.each([
  [3, 'linked', ['createConnection', 'createFunction', 'verifyFunction']],
  [4, 'needs_attention', []],
] as const)('a link that crashed %i workers at one step becomes %s', async (takeovers, state, made) => {
  const world = provisioningInMemory({ link: { takeovers } })

  const link = await world.run()

  expect(link.state).toBe(state)
  expect(world.calls.made).toEqual(made)
})

test('a parked link has a cause and resumes at the same step', async () => {
  const world = provisioningInMemory({ link: { state: 'rolling_back', kind: 'relink', takeovers: 4 } })

  const link = await world.run()

  expect(link).toMatchObject({ cause: 'worker_crashed', resumeFrom: 'rolling_back', takeovers: 0 })
  expect(world.entries).toMatchObject([
    { action: 'link.needs_attention', facts: { cause: 'worker_crashed', detail: 'taken over 4 times' } },
  ])
})

test('S3: a link or re-link whose grant does not decrypt is parked without any call', async () => {
  for (const kind of ['first', 'relink'] as const) {
    const world = provisioningInMemory({ link: { kind } })
    world.ports.seal.open = fails('sealed_unreadable', { detail: 'does_not_open' })

    const link = await world.run()

    expect(link).toMatchObject({ state: 'needs_attention', cause: 'sealed_unreadable', resumeFrom: 'escrowed' })
    expect(world.entries.at(-1)).toMatchObject({ facts: { cause: 'sealed_unreadable', detail: 'does_not_open' } })
    expect(world.calls.made).toEqual([])
  }
})

test('S3: a link waits for a missing key and is parked when none is loaded', async () => {
  const run = (attempts: number) => {
    const world = provisioningInMemory({ link: { attempts } })
    world.ports.seal.open = fails('sealed_unreadable', { detail: 'key_not_loaded', retry: { afterSeconds: 30 } })
    return world.run()
  }

  expect(await run(0)).toMatchObject({ state: 'escrowed', cause: 'sealed_unreadable', attempts: 1 })
  expect(await run(10)).toMatchObject({ state: 'needs_attention', cause: 'sealed_unreadable' })
})
