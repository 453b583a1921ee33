// The token request of a code must never be sent twice.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type CuttingProxy, startCuttingProxy } from '../support/doubles/cutting-proxy.ts'
import { beginLink, finishLink } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, startFleet, untilLink } from '../support/processes/onboarding-process.ts'

let fleet: Fleet
let tokenLine: CuttingProxy

beforeAll(async () => {
  tokenLine = await startCuttingProxy()
  fleet = await startFleet({
    env: { CONNECT_COMPLETION: 'optional', LEASE_SECONDS: '30' },
    egressAllow: [tokenLine.host],
  })
  tokenLine.toward(fleet.provider.port)
  fleet.provider.misbehave(onTokenLine())
  await fleet.start()
  await fleet.putTenant('acme')
  await finishLink(fleet, await beginLink(fleet)) // caches the provider's metadata
  fleet.provider.calm()
}, 120_000)
afterAll(async () => {
  await fleet.close()
  tokenLine.close()
})
afterEach(async () => {
  await tokenLine.pass()
  await untilQuiet(fleet)
  expect(await brokenPromises(fleet)).toEqual([])
  fleet.provider.calm()
})

const onTokenLine = () => ({ metadata: { token_endpoint: `${tokenLine.url}/token` } })

const cuts: Array<{ how: string; cut: () => void }> = [
  { how: 'the answer is lost', cut: () => tokenLine.dropReply() },
  { how: 'the answer breaks off', cut: () => tokenLine.cutAfter(120) },
  { how: 'the answer never comes', cut: () => fleet.provider.misbehave({ token: () => undefined }) },
  { how: 'the answer comes byte by byte', cut: () => tokenLine.drip(1, 200) },
]

test.each(cuts)(
  'F17, $how: the link ends exchange_unknown, and the code is not sent again',
  async ({ cut }) => {
    cut()

    const begun = await beginLink(fleet)
    await finishLink(fleet, begun)

    await untilLink(fleet, begun.minted, ['exchange_unknown'])
    expect(fleet.provider.seen.tokenRequests).toHaveLength(1)
  },
  120_000,
)

test('F17, refused before anything was sent: the link fails with a cause, and the provider never receives the code', async () => {
  tokenLine.refuse()

  const begun = await beginLink(fleet)
  await finishLink(fleet, begun)

  const link = await untilLink(fleet, begun.minted, ['failed'])
  expect(link.cause).toBe('provider_unavailable')
  expect(fleet.provider.seen.tokenRequests).toEqual([])
}, 120_000)

test('F18, the callback arrives again during a slow exchange: one request, and all tabs see the same outcome', async () => {
  let answer: (() => void) | undefined
  fleet.provider.misbehave({
    token: ({ body }) => new Promise((resolve) => (answer = () => resolve({ body }))),
  })
  const { minted, browser, callback } = await beginLink(fleet, { completionChallenge: undefined })
  const first = browser.get(callback)
  const letGo = await waitFor('the exchange is under way', () => answer)

  const tabs = [await browser.get(callback), await browser.get(callback)]
  const before = await browser.get(new URL(tabs[0]?.headers.get('location') ?? '', fleet.url).href)
  letGo()
  await untilLink(fleet, minted, ['linked'])
  const after = await Promise.all([...tabs, await first].map((tab) => browser.follow(tab, 'https://acme.example')))

  expect(before.status).toBe(200)
  expect(new Set(after.map(({ url }) => new URL(url).searchParams.get('status')))).toEqual(new Set(['linked']))
  expect(fleet.provider.seen.tokenRequests).toHaveLength(1)
}, 120_000)
