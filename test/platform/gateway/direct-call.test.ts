// Calls that go around the library's client: on the wire they are the library's own, and what goes wrong is told alike.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { vendorMcp } from '../../../src/platform/gateway/adapters/vendor-mcp/vendor-mcp.ts'
import { AnswerTooLarge, ThirdPartyError } from '../../../src/platform/gateway/domain/connection.ts'
import { type Exchange, ScopeMissing, VendorRefusal } from '../../../src/platform/gateway/domain/vendor/vendor-mcp.ts'
import { brokenStreams } from '../../support/doubles/vendor-mcp/broken-streams.ts'
import { tool, type VendorFault } from '../../support/doubles/vendor-mcp/vendor-server.ts'
import { startVendorMcp, type VendorAge, type VendorDouble } from '../../support/doubles/vendor-mcp.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'

let vendor: VendorDouble
let forwarder: ReturnType<typeof vendorMcp>

async function start(age: VendorAge, silentMs = 5_000) {
  vendor = await startVendorMcp(age)
  vendor.state.accessToken = 'token-of-the-grant'
  forwarder = vendorMcp({ allow: [vendor.host], silentMs, longestMs: 10_000, connectMs: 2_000 })
}

const connection = { id: 'c1', version: 1, name: 'linked' }
const target = (url = `${vendor.url}/mcp`) => ({
  url,
  connection,
  secrets: new Secret(['CANARY-client-secret']),
  token: async () => new Secret(vendor.state.accessToken),
})
const exchange = (more: Partial<Exchange> = {}): Exchange => ({ signal: new AbortController().signal, ...more })
const call = (name: string, more: Partial<Exchange> = {}, args = {}) =>
  forwarder.callTool(target(), tool(name), args, exchange(more))
/** Somebody reads the log, which is the library's to pass on. */
const byLibrary = { onLog: () => undefined }
const callsAsked = () => vendor.state.requests.filter(({ body }) => body.includes('tools/call'))

afterEach(async () => {
  vendor?.state.release()
  await forwarder.close()
  await vendor?.close()
})

describe.each<VendorAge>(['modern', 'sessions'])('a server of the age "%s"', (age) => {
  beforeEach(() => start(age))

  test('is asked as the library asks it, and its answer is the same', async () => {
    const meta = { 'example.org/trace': 'abc' }

    const answers = [await call('echo', { ...byLibrary, meta }, { a: 1 }), await call('echo', { meta }, { a: 1 })]

    const [one, other] = callsAsked().map(({ headers: { 'content-length': _, ...headers }, body }) => {
      const { id, ...message } = JSON.parse(body)
      return { id, headers, message }
    })
    expect(other?.headers).toEqual(one?.headers)
    expect(other?.message).toEqual(one?.message)
    expect(other?.id).not.toBe(one?.id)
    expect(answers[1]).toEqual(answers[0])
  })

  test('is told when nobody waits for a call any more', async () => {
    await call('echo')
    const leaving = new AbortController()
    const waiting = call('wait', { signal: leaving.signal }).catch((error) => error)
    await waitFor('the call is there', async () => callsAsked().length === 2)
    await waitFor('it runs', async () => vendor.state.waiting === 1)

    leaving.abort()

    expect(await waiting).toBeInstanceOf(ThirdPartyError)
    await waitFor('the server has stopped', async () => vendor.state.cancelled === 1)
    expect(await call('echo', {}, { a: 2 })).toMatchObject({ structuredContent: { args: { a: 2 } } })
  })

  test('that refuses a call is heard as it is by the library', async () => {
    const failures = [await call('unheard_of', byLibrary).catch((e) => e), await call('unheard_of').catch((e) => e)]

    expect(failures[1]).toEqual(failures[0])
    expect(failures[1]).toEqual(new VendorRefusal(-32_602, 'Unknown tool'))
  })
})

test('every token that was sent is hidden in what the server echoes, the newest as well', async () => {
  await start('modern')
  const linked = target()
  const echoed = async (text: string) =>
    JSON.stringify(await forwarder.callTool(linked, tool('echo'), { text }, exchange()))
  const [first, second] = ['token-of-the-grant', 'token-that-came-later']

  expect(await echoed(`a ${first}`)).toContain('a [secret]')
  expect(await echoed(`a ${second}`)).toContain(`a ${second}`)
  vendor.state.accessToken = second
  expect(await echoed(`b ${first} ${second}`)).toContain('b [secret] [secret]')
})

test('a token that was sent between two uses of another is hidden as well', async () => {
  await start('modern')
  const linked = target()
  const [first, second] = ['token-of-the-grant', 'token-that-came-between']
  await forwarder.callTool(linked, tool('echo'), {}, exchange())
  vendor.state.accessToken = second
  const waiting = forwarder.callTool(linked, tool('wait'), {}, exchange())
  await waitFor('it runs', async () => vendor.state.waiting === 1)
  vendor.state.accessToken = first

  const echoed = await forwarder.callTool(linked, tool('echo'), { text: `a ${second}` }, exchange())

  expect(JSON.stringify(echoed)).toContain('a [secret]')
  vendor.state.release()
  await waiting
})

test('a call that is never answered is given up in time, and the login stays in use', async () => {
  await start('modern', 300)
  await call('echo')
  const asked = vendor.state.requests.length

  const failure = await call('wait').catch((error) => error)
  await call('echo')

  expect(failure).toEqual(new ThirdPartyError('It did not answer in time.'))
  expect(vendor.state.requests.length - asked).toBe(2)
})

describe('a server that begins to misbehave', () => {
  beforeEach(() => start('modern'))

  const failures: [VendorFault, unknown][] = [
    [500, new ThirdPartyError('It answered 500.')],
    [429, new ThirdPartyError('It answered 429.')],
    [400, new ThirdPartyError('It answered 400.')],
    [202, new ThirdPartyError('It did not answer as the protocol has it.')],
    ['insufficient_scope', new ScopeMissing('files:write')],
    ['redirect', new ThirdPartyError('It answered 307.')],
    ['nonsense', new ThirdPartyError('It did not answer as the protocol has it.')],
    ['compressed', new ThirdPartyError('It answered in an encoding that it was not asked for.')],
    ['ends_early', new ThirdPartyError('It ended its answer before the end.')],
    ['huge_json', new AnswerTooLarge('4 MB')],
    ['huge_event', new AnswerTooLarge('4 MB')],
    ['mistakes', new AnswerTooLarge('50,000 values')],
    ['unknown_lines', new ThirdPartyError('It sent lines that are not server-sent events.')],
  ]
  test.each(failures)('with %s is told so, is asked once, and is of use again', async (fault, expected) => {
    await call('echo')
    const asked = callsAsked().length
    vendor.state.fault = fault

    const failure = await call('echo').catch((error) => error)
    const askedThen = callsAsked().length - asked
    vendor.state.fault = undefined

    expect(failure).toEqual(expected)
    // Nothing is done by a redirect: the library is asked to follow it, or not.
    expect(askedThen).toBe(fault === 'redirect' ? 2 : 1)
    expect(await call('echo', {}, { a: 3 })).toMatchObject({ structuredContent: { args: { a: 3 } } })
  })

  test('by cutting the connection did not answer', async () => {
    await call('echo')
    vendor.state.fault = 'cut'

    await expect(call('echo')).rejects.toEqual(new ThirdPartyError(`${vendor.host} did not answer.`))
  })
})

test('an answer that broke off is read on where its events have ids', async () => {
  await start('modern')
  const broken = await brokenStreams()
  await forwarder.close()
  forwarder = vendorMcp({ allow: [broken.host], silentMs: 5_000, longestMs: 10_000, connectMs: 2_000 })

  const result = await forwarder.callTool(target(`${broken.url}/mcp`), tool('echo'), {}, exchange())
  await broken.close()

  expect(result).toMatchObject({ content: [{ text: 'the rest' }] })
  expect(broken.askedAfter).toEqual(['event-1'])
  expect(broken.calls).toBe(1)
})
