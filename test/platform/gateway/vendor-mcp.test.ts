// The adapter against the official SDK's server: both protocols and the 2024-11-05 transport.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { vendorMcp } from '../../../src/platform/gateway/adapters/vendor-mcp/vendor-mcp.ts'
import {
  AddressBlocked,
  AnswerTooLarge,
  GrantRevoked,
  ThirdPartyError,
  VendorRedirects,
} from '../../../src/platform/gateway/domain/connection.ts'
import { type Exchange, ScopeMissing, VendorRefusal } from '../../../src/platform/gateway/domain/vendor/vendor-mcp.ts'
import { tool, type VendorFault } from '../../support/doubles/vendor-mcp/vendor-server.ts'
import { startVendorMcp, type VendorAge, type VendorDouble } from '../../support/doubles/vendor-mcp.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'

let vendor: VendorDouble
let forwarder: ReturnType<typeof vendorMcp>
let refused: string[]

async function start(age: VendorAge) {
  vendor = await startVendorMcp(age)
  vendor.state.accessToken = 'token-of-the-grant'
  refused = []
  forwarder = vendorMcp({ allow: [vendor.host], silentMs: 5_000, maxMs: 10_000, connectMs: 10_000 })
}

afterEach(async () => {
  vendor.state.release()
  await forwarder.close()
  await vendor.close()
})

const target = () => ({
  url: `${vendor.url}/mcp`,
  connection: { id: 'c1', version: 1, name: 'linked' },
  secrets: new Secret(['CANARY-client-secret']),
  token: async (old?: Secret) => {
    if (old) refused.push(old.reveal())
    return new Secret(vendor.state.accessToken)
  },
})
const exchange = (more: Partial<Exchange> = {}): Exchange => ({ signal: new AbortController().signal, ...more })
const call = (name: string, more: Partial<Exchange> = {}, args = {}) =>
  forwarder.callTool(target(), tool(name), args, exchange(more))

describe.each<VendorAge>(['modern', 'sessions', 'sse'])('a server of the era "%s"', (age) => {
  beforeEach(() => start(age))

  test('lists all its tools, and passes on prompts, resources and completions', async () => {
    const listing = await forwarder.list(target(), exchange())
    const ask = (method: Parameters<typeof forwarder.forward>[1], params = {}) =>
      forwarder.forward(target(), method, params, exchange())

    expect(listing.tools).toEqual(vendor.state.tools)
    expect(listing).toMatchObject({
      instructions: 'Be kind to the vendor.',
      capabilities: ['tools', 'prompts', 'resources', 'completions', 'logging'],
    })
    expect(await ask('prompts/list')).toMatchObject({ prompts: [{ name: 'first' }], nextCursor: 'two' })
    expect(await ask('prompts/list', { cursor: 'two' })).toMatchObject({ prompts: [{ name: 'second' }] })
    expect(await ask('prompts/get', { name: 'first', arguments: { who: 'me' } })).toMatchObject({
      messages: [{ content: { text: 'Prompt for me' } }],
    })
    expect(await ask('resources/list')).toMatchObject({ resources: [{ uri: 'vendor://a' }] })
    expect(await ask('resources/templates/list')).toMatchObject({ resourceTemplates: [{ name: 'any' }] })
    expect(await ask('resources/read', { uri: 'vendor://a' })).toMatchObject({ contents: [{ blob: 'AP8H' }] })
    const ref = { type: 'ref/prompt', name: 'first' }
    expect(await ask('completion/complete', { ref, argument: { name: 'who', value: 'm' } })).toMatchObject({
      completion: { values: ['m-completed'] },
    })
  })

  test('returns every kind of result, with progress', async () => {
    const progress: unknown[] = []
    const waiting = call('wait', { onProgress: (each) => void progress.push(each) })
    await waitFor('it reports progress', async () => progress.length === 1)
    vendor.state.release()

    expect(await waiting).toMatchObject({ content: [{ text: 'waited' }] })
    expect(progress).toMatchObject([{ progress: 1, total: 2, message: 'half' }])
    expect(await call('echo', {}, { a: 1 })).toMatchObject({ structuredContent: { args: { a: 1 } } })
    const { content } = (await call('picture')) as { content: { type: string }[] }
    expect(content.map(({ type }) => type)).toEqual(['image', 'audio', 'resource', 'resource_link'])
  })

  test('is notified when a call is cancelled', async () => {
    const leaving = new AbortController()
    const waiting = call('wait', { signal: leaving.signal, onProgress: () => leaving.abort() })

    await expect(waiting).rejects.toThrow()
    await waitFor('the server has stopped', async () => vendor.state.cancelled === 1)
  })

  test('sends its log to the client that asked for it', async () => {
    const entries: unknown[] = []
    const onLog = (entry: unknown) => void entries.push(entry)
    await call('chatty', { logLevel: 'info', onLog })
    await waitFor('the entry has arrived', async () => entries.length === 1)

    expect(entries).toMatchObject([{ level: 'info', data: 'the vendor says hello', logger: 'vendor' }])
  })

  test('cannot show a token anywhere', async () => {
    const { content } = await call('leak')
    const refusal = await call('refuse').catch((error) => error)

    expect(content).toMatchObject([{ text: 'your token is [secret]' }])
    expect(refusal).toEqual(new VendorRefusal(-32_000, 'not with [secret]'))
  })

  test('that rejects a token is retried once with a new one', async () => {
    await call('echo')
    vendor.state.accessToken = 'token-after-a-refresh'
    await call('echo')
    const asked = vendor.state.requests.length
    const stale = { ...target(), token: async () => new Secret('token-nobody-takes') }

    const failure = await forwarder.callTool(stale, tool('echo'), {}, exchange({ session: 'other' })).catch((e) => e)

    expect(failure).toBeInstanceOf(GrantRevoked)
    expect(vendor.state.requests.length - asked).toBe(2)
  })
})

describe('a server with sessions', () => {
  beforeEach(() => start('sessions'))

  test('has one per client session, which ends with it, and one for all clients without', async () => {
    for (const session of [undefined, undefined, 'a', 'a', 'b']) await call('echo', { session })
    const open = vendor.state.sessions.size

    await forwarder.endSession('a')
    await waitFor('it is told that one has ended', async () => vendor.state.sessions.size === open - 1)

    expect(open).toBe(3)
  })

  test('that has lost a session gets a new one, and the call is made once', async () => {
    await call('echo')
    vendor.state.sessions.clear()

    expect(await call('echo', {}, { a: 2 })).toMatchObject({ structuredContent: { args: { a: 2 } } })
    expect(vendor.state.sessionsOpened).toBe(2)
  })
})

describe('a server that misbehaves', () => {
  beforeEach(() => start('modern'))

  const failures: [VendorFault, unknown][] = [
    [500, new ThirdPartyError('It answered 500.')],
    [429, new ThirdPartyError('It answered 429.')],
    ['insufficient_scope', new ScopeMissing('files:write')],
    ['redirect', new VendorRedirects()],
    ['compressed', new ThirdPartyError('It returned an unsupported content encoding.')],
    ['ends_early', new ThirdPartyError('It ended its response early.')],
    ['huge_json', new AnswerTooLarge('4 MB')],
    ['huge_event', new AnswerTooLarge('4 MB')],
    ['mistakes', new AnswerTooLarge('50,000 values')],
    ['unknown_lines', new ThirdPartyError('It sent lines that are not server-sent events.')],
  ]
  test.each(failures)('with %s causes an error without its response body', async (fault, expected) => {
    vendor.state.fault = fault

    const failure = await call('echo').catch((error) => error)

    expect(failure).toEqual(expected)
  })

  test.each(['huge_json', 'huge_event'] as const)('with %s of a gigabyte takes less than 64 MB', async (fault) => {
    vendor.state.fault = fault
    // The first call loads and compiles code, which is not part of the cost of a response.
    await call('echo').catch(() => undefined)
    const before = process.memoryUsage().rss
    let max = before
    const watch = setInterval(() => {
      max = Math.max(max, process.memoryUsage().rss)
    }, 5)

    await expect(call('echo')).rejects.toEqual(new AnswerTooLarge('4 MB'))
    clearInterval(watch)

    expect(Math.max(max, process.memoryUsage().rss) - before).toBeLessThan(64 * 1024 * 1024)
  })

  const kilobytes = (name: string, count: number) => ({ ...tool(name), description: 'ä'.repeat(count * 500) })
  const listings: [string, () => void, string][] = [
    [
      'more than agents can read, in pages',
      () => Object.assign(vendor.state, { tools: ['a', 'b', 'c'].map((name) => kilobytes(name, 150)) }),
      'It lists more than 400 kB.',
    ],
    [
      'more instructions than agents can read',
      () => Object.assign(vendor.state, { instructions: 'x'.repeat(400_001), tools: [] }),
      'It lists more than 400 kB.',
    ],
    [
      'two tools with the same name',
      () => vendor.state.tools.push({ ...tool('echo'), description: 'Another.' }),
      'It lists two tools with the same name.',
    ],
  ]
  test.each(listings)('by listing %s is rejected', async (_, misbehave, message) => {
    misbehave()

    await expect(forwarder.list(target(), exchange())).rejects.toEqual(new ThirdPartyError(message))
  })

  test('and cuts the connection causes a "did not answer" error', async () => {
    vendor.state.fault = 'cut'

    await expect(call('echo')).rejects.toEqual(new ThirdPartyError(`${vendor.host} did not answer.`))
  })

  test('at a private address is not called', async () => {
    const inner = { ...target(), url: 'https://169.254.169.254/mcp' }

    const failure = await forwarder.callTool(inner, tool('echo'), {}, exchange()).catch((error) => error)

    expect(failure).toBeInstanceOf(AddressBlocked)
    expect(failure.message).toBe('169.254.169.254 is blocked.')
  })
})
