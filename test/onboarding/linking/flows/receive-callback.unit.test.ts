import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { issuerCallback, issuerKey } from '../../../../src/onboarding/domain/mcp/registered-client.ts'
import { consentAgain } from '../../../../src/onboarding/linking/flows/follow-link.ts'
import { type ReceiveCallback, receiveCallback } from '../../../../src/onboarding/linking/flows/receive-callback.ts'
import { startLink } from '../../../../src/onboarding/linking/flows/start-link.ts'
import { sweepLinks } from '../../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { breaks, grantOf, later } from '../../../support/memory/doubles.ts'
import { mcpServer, notesIssuer } from '../../../support/memory/mcp-servers.ts'
import { byBrowser, client, type MemoryWorld, notes, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

async function comeBack(session: Parameters<MemoryWorld['addSession']>[0] = { completionChallenge: 'challenge' }) {
  const { token } = await world.addSession(session)
  const started = await startLink(world, world.settings, { token, actor: byBrowser, browsers: [] })
  const input: ReceiveCallback = {
    callback: 'files',
    state: new URL(started.url).searchParams.get('state') as string,
    answer: { code: new Secret('code') },
    issuer: undefined,
    browsers: [world.tokens.digest(started.browser!)],
    actor: byBrowser,
  }
  return { input, linkId: started.linkId }
}

const receive = (input: ReceiveCallback) => receiveCallback(world, world.settings, input)
const stateOf = async (id: string) => (await world.links.find(id))?.state
const exchanges = () => world.provider.calls.filter((call) => call === 'exchange').length

test('seals a code until the tenant confirms it', async () => {
  const { input, linkId } = await comeBack()

  const { link } = await receive(input)

  expect(link.state).toBe('code_waiting')
  expect(await world.secrets.waitingCode(linkId)).not.toContain('code"')
  expect(exchanges()).toBe(0)
})

test('without a completion challenge the code is exchanged immediately, and the link finishes', async () => {
  const { input } = await comeBack({})

  const { done } = await receive(input)

  expect((await done).state).toBe('linked')
  expect(exchanges()).toBe(1)
})

test('a slow provider does not block the response', async () => {
  const { input } = await comeBack({})
  const answer = later<never>()
  world.provider.exchange = () => answer.promise

  const { link } = await receive(input)

  expect(link.state).toBe('authorizing')
  answer.reject(new TypeError('never mind'))
})

test('a reload returns the state of the link without a token request', async () => {
  const { input } = await comeBack({})
  await (await receive(input)).done

  const { link } = await receive(input)

  expect(link.state).toBe('linked')
  expect(exchanges()).toBe(1)
  expect(world.actions()).toContain('callback.replayed')
})

test('a reload takes over from a first request that died', async () => {
  const { input, linkId } = await comeBack()
  const { move } = world.links
  world.links.move = async () => {
    throw new Error('the store went away')
  }
  await expect(receive(input)).rejects.toThrow('the store went away')
  world.links.move = move

  await receive(input)

  expect(await stateOf(linkId)).toBe('code_waiting')
})

test('an unknown state is rejected and audited', async () => {
  const { input } = await comeBack()

  await expect(receive({ ...input, state: 'guess' })).rejects.toMatchObject({ code: 'callback_unknown' })
  expect(world.actions()).toContain('callback.rejected')
})

test('an expired authorization is rejected like an unknown one', async () => {
  const { input, linkId } = await comeBack()
  world.clock.pass(world.settings.authorizationSeconds + 1)

  await expect(receive(input)).rejects.toMatchObject({ code: 'callback_unknown' })
  expect(await stateOf(linkId)).toBe('authorizing')
})

test('another browser cannot deliver or use up the callback', async () => {
  const { input, linkId } = await comeBack()

  await expect(receive({ ...input, browsers: ['another'] })).rejects.toMatchObject({ code: 'callback_foreign' })
  await expect(receive({ ...input, browsers: [] })).rejects.toMatchObject({ code: 'callback_foreign' })
  await receive(input)

  expect(await stateOf(linkId)).toBe('code_waiting')
})

test('rejects the callback of another integration', async () => {
  const { input } = await comeBack()

  await expect(receive({ ...input, callback: 'mail' })).rejects.toMatchObject({ code: 'callback_foreign' })
})

describe('an MCP server with dynamic registration', () => {
  const callbackAt = (issuer: string) => issuerCallback(issuerKey(issuer))
  const start = async () => {
    world = await openMemoryWorld({ others: [notes] })
    return comeBack({ integration: 'notes', completionChallenge: 'challenge' })
  }

  test('has its own callback, and a response to another callback is rejected without claiming the state', async () => {
    const { input, linkId } = await start()

    for (const callback of ['notes', callbackAt('https://other.example'), 'mcp/nonsense', 'mcp/', 'mcp']) {
      await expect(receive({ ...input, callback })).rejects.toMatchObject({ code: 'callback_foreign' })
    }
    await receive({ ...input, callback: callbackAt(notesIssuer) })

    expect(await stateOf(linkId)).toBe('code_waiting')
    expect(world.actions()).toContain('callback.rejected')
  })

  test('is registered with only that callback', async () => {
    await start()
    const { authorizationServer: first } = mcpServer()
    world.mcpServers.says({ authorizationServer: { ...first, issuer: 'https://other.example' } })
    await comeBack({ integration: 'notes', completionChallenge: 'challenge' })

    expect(world.mcpServers.registrations.map(({ redirectUri }) => redirectUri)).toEqual([
      `https://connect.example/oauth/callback/${callbackAt(notesIssuer)}`,
      `https://connect.example/oauth/callback/${callbackAt('https://other.example')}`,
    ])
  })
})

test('a denied consent ends the link and notifies the tenant', async () => {
  const { input } = await comeBack()

  const { link } = await receive({ ...input, answer: { error: 'access_denied' } })

  expect(link).toMatchObject({ state: 'denied', cause: 'consent_denied' })
  expect(world.events()).toEqual(['link.failed'])
})

test('a provider error is not a denied consent', async () => {
  const { input } = await comeBack()

  const { link } = await receive({ ...input, answer: { error: 'server_error' } })

  expect(link).toMatchObject({ state: 'failed', cause: 'consent_failed' })
})

test('a code with another issuer is never sent, and ends the link', async () => {
  world.provider.issuerOf = async () => ({ issuer: 'https://provider.example', promised: false })
  const { input, linkId } = await comeBack({})

  await expect(receive({ ...input, issuer: 'https://evil.example' })).rejects.toMatchObject({
    code: 'callback_foreign',
  })
  expect(await world.links.find(linkId)).toMatchObject({ state: 'failed', cause: 'callback_rejected' })
  expect(exchanges()).toBe(0)
})

test('an unsigned code is never sent if the app signs its callbacks, and ends the link', async () => {
  world = await openMemoryWorld({ integration: { callbackSignature: { parameter: 'hmac' } } })
  const { input, linkId } = await comeBack({})
  const parameters = { shop: 'acme', hmac: createHmac('sha256', 'another secret').update('').digest('hex') }

  await expect(receive({ ...input, parameters })).rejects.toMatchObject({ code: 'callback_foreign' })
  expect(await world.links.find(linkId)).toMatchObject({ state: 'failed', cause: 'callback_rejected' })
  expect(exchanges()).toBe(0)
})

test('a signature with the client secret covers code, state and all other parameters', async () => {
  world = await openMemoryWorld({ integration: { callbackSignature: { parameter: 'hmac' } } })
  const { input } = await comeBack({})
  const text = `code=code&shop=acme&state=${input.state}`
  const hmac = createHmac('sha256', client.secret.reveal()).update(text).digest('hex')

  const { done } = await receive({ ...input, parameters: { shop: 'acme', hmac } })

  expect((await done).state).toBe('linked')
})

test('an issuer that announces the iss parameter must send it', async () => {
  world.provider.issuerOf = async () => ({ issuer: 'https://provider.example', promised: true })
  const { input } = await comeBack({})

  await expect(receive(input)).rejects.toMatchObject({ code: 'callback_foreign' })
})

test('an error also counts only from the expected issuer', async () => {
  world.provider.issuerOf = async () => ({ issuer: 'https://provider.example', promised: true })
  const { input, linkId } = await comeBack({})
  const denied = { ...input, answer: { error: 'access_denied' }, issuer: 'https://evil.example' }

  await expect(receive(denied)).rejects.toMatchObject({ code: 'callback_foreign' })
  expect((await world.links.find(linkId))?.cause).toBe('callback_rejected')
})

describe('in the process that started the link, the claim and the intent are written at the same time', () => {
  test('the code leaves only after the claim', async () => {
    const { input, linkId } = await comeBack({})
    const { claim } = world.pending
    let proceed = () => {}
    const isHeld = new Promise<void>((resolve) => {
      proceed = resolve
    })
    world.pending.claim = async (...args) => {
      await isHeld
      return claim(...args)
    }

    const { done } = await receive(input)
    await world.pause()
    const before = { state: await stateOf(linkId), exchanges: exchanges() }
    proceed()

    expect((await done).state).toBe('linked')
    expect(before).toEqual({ state: 'exchanging', exchanges: 0 })
  })

  test.each(['before', 'after'])('if the claim fails %s Redis ran it, the callback can be repeated', async (when) => {
    const { input, linkId } = await comeBack({})
    const { claim } = world.pending
    world.pending.claim = async (...args) => {
      if (when === 'after') await claim(...args)
      return breaks()
    }
    const first = await receive(input)
    await expect(first.done).rejects.toThrow(TypeError)
    const between = await stateOf(linkId)
    world.pending.claim = claim
    await world.pause()

    const { done } = await receive(input)

    expect(between).toBe('authorizing')
    expect((await done).state).toBe('linked')
    expect(exchanges()).toBe(1)
  })

  test('if the intent cannot be written, the callback can be repeated', async () => {
    const { input } = await comeBack({})
    const { move } = world.links
    world.links.move = breaks
    const first = await receive(input)
    await expect(first.done).rejects.toThrow(TypeError)
    world.links.move = move
    await world.pause()

    const { done } = await receive(input)

    expect((await done).state).toBe('linked')
    expect(exchanges()).toBe(1)
  })

  test('a link whose intent cannot be taken back ends exchange_unknown, without a token request', async () => {
    const { input, linkId } = await comeBack({})
    const { move } = world.links
    world.pending.claim = breaks
    world.links.move = (link, to, ...rest) => (to === 'authorizing' ? breaks() : move(link, to, ...rest))
    const first = await receive(input)
    await expect(first.done).rejects.toThrow(TypeError)
    world.clock.pass(60)

    await sweepLinks(world, world.settings)

    expect(await stateOf(linkId)).toBe('exchange_unknown')
    expect(exchanges()).toBe(0)
  })

  test('a response with an error, or from another issuer, waits for the claim first', async () => {
    const { input, linkId } = await comeBack({})
    const { claim } = world.pending
    world.pending.claim = breaks

    await expect(receive({ ...input, answer: { error: 'access_denied' } })).rejects.toThrow(TypeError)
    world.pending.claim = claim

    expect(await stateOf(linkId)).toBe('authorizing')
  })
})

test('another process than that of the start exchanges the code', async () => {
  const { input } = await comeBack({})
  world.pending.recall = () => undefined

  const { done } = await receive(input)

  expect((await done).state).toBe('linked')
  expect(exchanges()).toBe(1)
})

test('sends no code without its sealed verifier', async () => {
  const { input, linkId } = await comeBack({})
  const { claim } = world.pending
  world.pending.recall = () => undefined
  world.pending.claim = async (...args) => {
    const claimed = await claim(...args)
    return 'pending' in claimed ? { ...claimed, pending: { ...claimed.pending, verifier: 'forged' } } : claimed
  }

  await expect(receive(input)).rejects.toMatchObject({ code: 'unexpected' })
  expect(await world.links.find(linkId)).toMatchObject({ state: 'failed', cause: 'callback_rejected' })
  expect(exchanges()).toBe(0)
})

test('a removed integration ends the link with that cause', async () => {
  const { input } = await comeBack({})
  world.removeIntegration('files')

  const { link } = await receive(input)

  expect(link).toMatchObject({ state: 'failed', cause: 'integration_removed' })
  expect(exchanges()).toBe(0)
})

test('after a second consent the callback of the first changes nothing', async () => {
  const { input, linkId } = await comeBack({})
  let asked = 0
  world.provider.exchange = async ({ keep }) => {
    asked++
    await keep(new Secret('no refresh token in it'))
    return { refreshToken: undefined, scopes: undefined, account: undefined }
  }
  await (await receive(input)).done
  const waits = await world.links.find(linkId)

  const { done } = await receive(input)

  expect(waits).toMatchObject({ state: 'authorizing', forcedConsent: true })
  expect(await done).toMatchObject({ state: 'authorizing', forcedConsent: true })
  expect(asked).toBe(1)
})

test('a second consent to another account ends the re-link, and its user can start again', async () => {
  const connection = await world.addConnection()
  const { input, linkId } = await comeBack({ connectionId: connection.id })
  const { browsers } = input
  world.provider.exchange = async ({ keep }) => {
    await keep(new Secret('of another account'))
    return grantOf({ account: { id: 'account-2', label: 'other@files.example' } })
  }
  const asked = await (await receive(input)).done
  const url = await consentAgain(world, world.settings, { linkId, browsers, actor: byBrowser })

  const { done } = await receive({ ...input, state: new URL(url).searchParams.get('state') as string })

  expect(asked).toMatchObject({ state: 'authorizing', cause: 'account_mismatch' })
  expect(await done).toMatchObject({ state: 'failed', cause: 'account_mismatch' })
  const again = await startLink(world, world.settings, { linkId, actor: byBrowser, browsers })
  expect(await stateOf(again.linkId)).toBe('authorizing')
})
