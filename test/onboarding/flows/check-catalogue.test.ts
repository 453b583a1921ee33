import type { lookup } from 'node:dns'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { catalogueProbe } from '../../../src/onboarding/adapters/catalogue-probe.ts'
import { type CheckedProvider, needsLook } from '../../../src/onboarding/domain/catalogue/catalogue-check.ts'
import { checkCatalogue } from '../../../src/onboarding/flows/check-catalogue.ts'
import { shippedProviders } from '../../../src/onboarding/integrations/catalogue.ts'

let vendor: Server
let url: string
let answers: Record<string, { status: number; body?: string }>

beforeAll(async () => {
  vendor = createServer((req, res) => {
    const { status, body = '' } = answers[`${req.method} ${req.url}`] ?? { status: 404 }
    res.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
})
afterAll(() => void vendor.close())

const [shipped] = shippedProviders()

const provider = (addresses: CheckedProvider['addresses'], mcp: CheckedProvider['mcp'] = {}): CheckedProvider => ({
  about: { ...(shipped as CheckedProvider).about, id: 'paperboat', tier: 'verified', asOf: '2026-01-01' },
  addresses,
  mcp,
})

async function examine(checked: CheckedProvider, resolve: typeof lookup = byName({})) {
  const fetch = guardedFetch({ allow: [new URL(url).host], resolve })
  const flow = checkCatalogue({ probe: catalogueProbe(fetch), now: () => new Date('2026-11-16T00:00:00Z') })
  const findings = []
  for await (const finding of flow([checked])) findings.push(finding)
  await fetch.close()
  return findings[0]
}

async function check(...given: Parameters<typeof examine>) {
  const found = await examine(...given)
  if (!found || 'outage' in found) throw new Error('This machine has no network.')
  return found
}

/** DNS that knows these names, the control name `iana.org`, and addresses. A private address needs no route. */
const byName = (known: Record<string, string>) =>
  ((name, _options, answer) => {
    const address = { 'iana.org': '10.0.0.1', ...known }[name] ?? (/^[\d.]+$/.test(name) ? name : undefined)
    const done = answer as (error: Error | null, found?: object[]) => void
    if (address === undefined) done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }))
    else done(null, [{ address, family: 4 }])
  }) as typeof lookup

const noNames = ((_name, _options, answer) =>
  (answer as (error: Error) => void)(Object.assign(new Error('away'), { code: 'EAI_AGAIN' }))) as typeof lookup

const elsewhere = () => provider({ authorization: 'https://app.example/authorize', token: 'https://app.example/token' })

test('gives no verdict on a machine that resolves no names', async () => {
  expect(await examine(elsewhere(), noNames)).toEqual({ outage: 'no_names' })
})

test('reports a name that is not found as gone if a control name is found', async () => {
  const finding = await check(elsewhere())

  expect(finding).toMatchObject({ authorization: 'gone', token: 'gone' })
  expect(finding && needsLook(finding)).toBe(true)
})

test('calls MCP servers like a client', async () => {
  const mcp = { there: `${url}/mcp`, older: `${url}/sse`, gone: `${url}/nothing`, gap: 'https://{site}.example/mcp' }
  answers = { 'POST /mcp': { status: 401 }, 'GET /sse': { status: 401 } }

  const finding = await check(provider({}, mcp))

  expect(finding?.mcp).toEqual({ there: 'there', older: 'there', gone: 'gone', gap: 'not_asked' })
  expect(finding && needsLook(finding)).toBe(true)
})

const written = () => provider({ authorization: `${url}/authorize`, token: `${url}/token` })

test('endpoints that answer with any error exist', async () => {
  answers = { 'GET /authorize': { status: 400 }, 'POST /token': { status: 401 } }

  const finding = await check(written())

  expect(finding).toMatchObject({ authorization: 'there', token: 'there', published: 'none', ageDays: 319 })
  expect(finding && needsLook(finding)).toBe(false)
})

test('reports an address that the vendor no longer knows as gone', async () => {
  answers = { 'GET /authorize': { status: 200 } }

  const finding = await check(written())

  expect(finding).toMatchObject({ authorization: 'there', token: 'gone' })
  expect(finding && needsLook(finding)).toBe(true)
})

test('compares the metadata published by the vendor with the file', async () => {
  const body = JSON.stringify({ authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/v2/token` })
  answers = {
    'GET /authorize': { status: 200 },
    'POST /token': { status: 400 },
    'GET /.well-known/openid-configuration': { status: 200, body },
  }

  const finding = await check(written())

  expect(finding).toMatchObject({ published: 'differs', differences: { token: `${url}/v2/token` } })
  expect(finding && needsLook(finding)).toBe(true)
})

test('ignores unreadable metadata', async () => {
  answers = {
    'GET /authorize': { status: 200 },
    'POST /token': { status: 400 },
    'GET /.well-known/oauth-authorization-server': { status: 200, body: '<html>' },
  }

  expect(await check(written())).toMatchObject({ published: 'none' })
})

test('an unreachable server gives no verdict about the file', async () => {
  const finding = await check(provider({ authorization: 'http://127.0.0.1:1/authorize', token: undefined }))

  expect(finding).toMatchObject({ authorization: 'unreachable', token: 'not_asked' })
  expect(finding && needsLook(finding)).toBe(false)
})

test('does not call a templated address', async () => {
  expect(await check(provider({ authorization: 'https://{subdomain}.paperboat.example/authorize' }))).toMatchObject({
    authorization: 'not_asked',
  })
})

test('every provider of the catalogue can be checked', () => {
  const unchecked = shippedProviders().filter(
    ({ addresses, mcp }) => addresses.authorization === undefined && Object.keys(mcp).length === 0,
  )

  expect(shippedProviders().length).toBeGreaterThanOrEqual(300)
  expect(unchecked.map(({ about }) => about.id)).toEqual([])
})
