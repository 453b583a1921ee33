// Calls of a vendor that has worked before.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { vendorMcp } from '../../../src/platform/gateway/adapters/vendor-mcp/vendor-mcp.ts'
import { AnswerTooLarge, ThirdPartyError, VendorRedirects } from '../../../src/platform/gateway/domain/connection.ts'
import { type Exchange, ScopeMissing } from '../../../src/platform/gateway/domain/vendor/vendor-mcp.ts'
import { brokenStreams } from '../../support/doubles/vendor-mcp/broken-streams.ts'
import { tool, type VendorFault } from '../../support/doubles/vendor-mcp/vendor-server.ts'
import { startVendorMcp, type VendorAge, type VendorDouble } from '../../support/doubles/vendor-mcp.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'

let vendor: VendorDouble
let forwarder: ReturnType<typeof vendorMcp>

async function start(age: VendorAge, silentMs = 5_000) {
  vendor = await startVendorMcp(age)
  vendor.state.accessToken = 'token-of-the-grant'
  forwarder = vendorMcp({ allow: [vendor.host], silentMs, maxMs: 10_000, connectMs: 10_000 })
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
const callsAsked = () => vendor.state.requests.filter(({ body }) => body.includes('tools/call'))

afterEach(async () => {
  vendor?.state.release()
  await forwarder.close()
  await vendor?.close()
})

test('hides every sent token in echoes of the server, including the newest', async () => {
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

test('hides a token that was sent between two uses of another', async () => {
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

test('a call without a response times out, and the login stays in use', async () => {
  await start('modern', 3_000)
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
    [202, new ThirdPartyError('Its response violates the protocol.')],
    ['insufficient_scope', new ScopeMissing('files:write')],
    ['redirect', new VendorRedirects()],
    ['nonsense', new ThirdPartyError('Its response violates the protocol.')],
    ['compressed', new ThirdPartyError('It returned an unsupported content encoding.')],
    ['ends_early', new ThirdPartyError('It ended its response early.')],
    ['huge_json', new AnswerTooLarge('4 MB')],
    ['huge_event', new AnswerTooLarge('4 MB')],
    ['mistakes', new AnswerTooLarge('50,000 values')],
    ['unknown_lines', new ThirdPartyError('It sent lines that are not server-sent events.')],
  ]
  test.each(failures)(
    'with %s causes an error after one request, and its login works again',
    async (fault, expected) => {
      await call('echo')
      const asked = callsAsked().length
      vendor.state.fault = fault

      const failure = await call('echo').catch((error) => error)
      const askedThen = callsAsked().length - asked
      vendor.state.fault = undefined

      expect(failure).toEqual(expected)
      expect(askedThen).toBe(1)
      expect(await call('echo', {}, { a: 3 })).toMatchObject({ structuredContent: { args: { a: 3 } } })
    },
  )

  test('by cutting the connection causes a "did not answer" error', async () => {
    await call('echo')
    vendor.state.fault = 'cut'

    await expect(call('echo')).rejects.toEqual(new ThirdPartyError(`${vendor.host} did not answer.`))
  })
})

test('resumes a response that broke off if its events have IDs', async () => {
  await start('modern')
  const broken = await brokenStreams()
  await forwarder.close()
  forwarder = vendorMcp({ allow: [broken.host], silentMs: 5_000, maxMs: 10_000, connectMs: 10_000 })

  const result = await forwarder.callTool(target(`${broken.url}/mcp`), tool('echo'), {}, exchange())
  await broken.close()

  expect(result).toMatchObject({ content: [{ text: 'the rest' }] })
  expect(broken.askedAfter).toEqual(['event-1'])
  expect(broken.calls).toBe(1)
})
