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

const provider = (addresses: CheckedProvider['addresses']): CheckedProvider => ({
  about: { ...(shipped as CheckedProvider).about, id: 'paperboat', tier: 'verified', asOf: '2026-01-01' },
  addresses,
})

async function check(checked: CheckedProvider) {
  const fetch = guardedFetch({ allow: [new URL(url).host] })
  const flow = checkCatalogue({ probe: catalogueProbe(fetch), now: () => new Date('2026-11-16T00:00:00Z') })
  const findings = []
  for await (const finding of flow([checked])) findings.push(finding)
  await fetch.close()
  return findings[0]
}

const written = () => provider({ authorization: `${url}/authorize`, token: `${url}/token` })

test('addresses that answer, however they refuse, are there', async () => {
  answers = { 'GET /authorize': { status: 400 }, 'POST /token': { status: 401 } }

  const finding = await check(written())

  expect(finding).toMatchObject({ authorization: 'there', token: 'there', published: 'none', ageDays: 319 })
  expect(finding && needsLook(finding)).toBe(false)
})

test('an address that the vendor does not know any more is gone', async () => {
  answers = { 'GET /authorize': { status: 200 } }

  const finding = await check(written())

  expect(finding).toMatchObject({ authorization: 'there', token: 'gone' })
  expect(finding && needsLook(finding)).toBe(true)
})

test('what the vendor publishes of itself is compared with the file', async () => {
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

test('metadata that cannot be read is none', async () => {
  answers = {
    'GET /authorize': { status: 200 },
    'POST /token': { status: 400 },
    'GET /.well-known/oauth-authorization-server': { status: 200, body: '<html>' },
  }

  expect(await check(written())).toMatchObject({ published: 'none' })
})

test('a server that cannot be reached says nothing about the file', async () => {
  const finding = await check(provider({ authorization: 'http://127.0.0.1:1/authorize', token: undefined }))

  expect(finding).toMatchObject({ authorization: 'unreachable', token: 'not_asked' })
  expect(finding && needsLook(finding)).toBe(false)
})

test('an address with a gap is not asked', async () => {
  expect(await check(provider({ authorization: 'https://{subdomain}.paperboat.example/authorize' }))).toMatchObject({
    authorization: 'not_asked',
  })
})

test('every provider of the catalogue can be checked', () => {
  expect(shippedProviders().length).toBeGreaterThanOrEqual(300)
})
