// Runs the client against the real program, like a tenant's server.

import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { assertLinked, type ConnectStart, createCauseway, verifyWebhook } from '../../../packages/client/src/client.ts'
import { deliverWebhooks } from '../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { startReceiver } from '../../support/doubles/webhook-receiver.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'

const receiver = await startReceiver()
const world = await startOnboarding({ egressAllow: [receiver.host] })
const causeway = createCauseway({ url: world.url, apiKey: world.key })
afterEach(() => {
  world.provider.calm()
  receiver.calm()
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

const begin = (id = 'user-1') =>
  causeway.connect.begin({
    ...{ tenantId: 'acme', integrationId: 'provider', endUser: { id }, returnUrl },
    ifConnected: 'add',
  })

/** Follows the pages of Causeway and the provider to the return URL. */
async function comeBack({ url }: Pick<ConnectStart, 'url'>): Promise<string> {
  const browser = new HttpBrowser()
  return (await browser.follow(await browser.post(url), returnUrl)).url
}

async function connect(id?: string) {
  const begun = await begin(id)
  const link = await causeway.connect.finish(await comeBack(begun), begun.state)
  assertLinked(link)
  return link
}

describe('a user who connects', () => {
  test('has a working connection on return', async () => {
    const link = await connect()

    expect(link).toMatchObject({ status: 'linked', endUser: { id: 'user-1' }, connection: { workspace: 'acme' } })
    expect(await causeway.connections.get(link.connectionId)).toMatchObject({ id: link.connectionId, status: 'active' })
  })

  test('and reloads the return page sees the same link', async () => {
    const begun = await begin()
    const at = await comeBack(begun)
    const query = Object.fromEntries(new URL(at).searchParams)

    const first = await causeway.connect.finish(query, begun.state)
    const again = await causeway.connect.finish(query, begun.state)

    expect(again).toEqual(first)
  })

  test('and declines gets the cause and whose move it is', async () => {
    world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
    const begun = await begin()

    const link = await causeway.connect.finish(await comeBack(begun), begun.state)

    expect(link).toMatchObject({ status: 'denied', cause: { code: 'consent_denied' } })
    expect(() => assertLinked(link)).toThrow(expect.objectContaining({ code: 'consent_denied', whoseMove: 'user' }))
    await expect(causeway.links.wait(link.id)).rejects.toMatchObject({ cause: { code: 'consent_denied' } })
  })

  test('does not get the account of another user', async () => {
    const [mine, theirs] = [await begin('user-1'), await begin('user-2')]
    const at = await comeBack(theirs)

    await expect(causeway.connect.finish(at, mine.state)).rejects.toMatchObject({ code: 'state_mismatch' })
    await expect(causeway.connect.finish(at, undefined)).rejects.toMatchObject({ code: 'state_missing' })
    await expect(causeway.connect.finish(at, 'made up')).rejects.toMatchObject({ code: 'state_unreadable' })
  })

  test('and never started has no result', async () => {
    const { connectSessionId, state } = await begin()

    const finishing = causeway.connect.finish({ connect_session_id: connectSessionId, status: 'linked' }, state)

    await expect(finishing).rejects.toMatchObject({ code: 'result_missing' })
  })
})

describe('a user who re-links an account', () => {
  const beginRelink = (connectionId: string) =>
    causeway.connect.beginRelink(connectionId, { reason: 'it stopped working', returnUrl })

  test('returns to the same return page with a working connection', async () => {
    const { connectionId } = await connect()
    const begun = await beginRelink(connectionId)
    const at = await comeBack(begun)

    const link = await causeway.connect.finish(at, begun.state)
    const again = await causeway.connect.finish(at, begun.state)

    expect(link).toMatchObject({ status: 'linked', purpose: 'relink', connectionId })
    expect(again).toEqual(link)
    expect(await causeway.connections.get(connectionId)).toMatchObject({ relinkedAt: expect.any(String) })
  })

  test('with another account gets a continueUrl to sign in with the correct one', async () => {
    const { connectionId } = await connect()
    world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })
    const begun = await beginRelink(connectionId)

    const link = await causeway.connect.finish(await comeBack(begun), begun.state)

    expect(link).toMatchObject({ status: 'pending', cause: { code: 'account_mismatch' } })
    expect(link.continueUrl).toMatch(/^http/)
  })

  test('is rejected with the state of another browser, or without a state', async () => {
    const { connectionId } = await connect()
    const [mine, theirs] = [await beginRelink(connectionId), await beginRelink(connectionId)]
    const sent = await causeway.connections.createRelinkSession(connectionId, { reason: 'by email', returnUrl })
    const [foreign, unkept] = [await comeBack(theirs), await comeBack(sent)]

    await expect(causeway.connect.finish(foreign, mine.state)).rejects.toMatchObject({ code: 'state_mismatch' })
    await expect(causeway.connect.finish(unkept, mine.state)).rejects.toMatchObject({ code: 'state_mismatch' })
    await expect(causeway.connect.finish(unkept, undefined)).rejects.toMatchObject({ code: 'state_missing' })
  })
})

test('links.wait waits for a slow link', async () => {
  world.platform.fault = () => 503
  const begun = await begin()
  const pending = await causeway.connect.finish(await comeBack(begun), begun.state)
  expect(pending.status).toBe('pending')

  const waiting = causeway.links.wait(pending.id)
  world.platform.fault = undefined
  await causeway.links.resume(pending.id)

  expect(await waiting).toMatchObject({ id: pending.id, status: 'linked' })
})

test('lists are read page by page to the end', async () => {
  const made: string[] = []
  for (let index = 0; index < 3; index++) made.push((await connect('user-of-lists')).connectionId)

  const found = await causeway.connections.list({ endUserId: 'user-of-lists', limit: 2 }).toArray()
  const sizes: number[] = []
  for await (const { data } of causeway.connections.list({ endUserId: 'user-of-lists', limit: 2 }).pages()) {
    sizes.push(data.length)
  }

  expect(found.map(({ id }) => id).sort()).toEqual(made.sort())
  expect(sizes).toEqual([2, 1])
})

test('waitForTask waits for a disconnect, and a second disconnect is rejected', async () => {
  const { connectionId } = await connect()

  const task = await causeway.connections.disconnect(connectionId, { reason: 'the user asked for it' })

  expect(await causeway.connections.waitForTask(task)).toMatchObject({ kind: 'disconnect', status: 'done' })
  const again = causeway.connections.disconnect(connectionId, { reason: 'again' })
  await expect(again).rejects.toMatchObject({ status: 409, code: 'connection_disconnected', whoseMove: 'tenant' })
})

test('an error lists the invalid fields', async () => {
  const wrong = causeway.connect.begin({
    tenantId: 'acme',
    integrationId: 'provider',
    endUser: { id: 'user-1' },
    returnUrl: 'https://elsewhere.example/',
  })

  await expect(wrong).rejects.toMatchObject({ code: 'input_invalid', errors: [{ pointer: '/returnUrl' }] })
})

describe('a message to a webhook endpoint', () => {
  test('is verified and typed by its event', async () => {
    const { secret } = await causeway.webhooks.create('acme', { url: receiver.url })
    const link = await connect()
    await (await deliverWebhooks(world.ports)()).done

    const [message] = receiver.messages
    const event = verifyWebhook(message!.body, message!.headers, ['whsec_b3RoZXIgc2VjcmV0IG9mIG91cnM=', secret])

    if (event.type !== 'link.succeeded') throw new Error(event.type)
    expect(event).toMatchObject({ id: message!.headers['webhook-id'], data: { connectionId: link.connectionId } })
  })

  test('is rejected with another secret, another body, or without a signature', async () => {
    const { secret } = await causeway.webhooks.create('acme', { url: receiver.url })
    await connect()
    await (await deliverWebhooks(world.ports)()).done
    const { body, headers } = receiver.messages.at(-1)!

    const refused = expect.objectContaining({ code: 'signature_invalid' })
    expect(() => verifyWebhook(`${body} `, headers, secret)).toThrow(refused)
    expect(() => verifyWebhook(body, { ...headers, 'webhook-id': 'evt_other' }, secret)).toThrow(refused)
    expect(() => verifyWebhook(body, headers, 'whsec_b3RoZXIgc2VjcmV0IG9mIG91cnM=')).toThrow(refused)
    expect(() => verifyWebhook(body, {}, secret)).toThrow('it needs the headers')
    const late = { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 400) }
    expect(() => verifyWebhook(body, late, secret)).toThrow('not signed in the last five minutes')
    const parsed = JSON.parse(String(body)) as string
    expect(() => verifyWebhook(parsed, headers, secret)).toThrow('The body was parsed already')
    const none = undefined as unknown as string
    expect(() => verifyWebhook(body, headers, none)).toThrow('No webhook secret was given')
  })
})
