// Whether PUBLIC_URL leads here: asked at real servers, of which one is this deployment.
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import express from 'express'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { keyedTokens } from '../../../src/onboarding/adapters/crypto/tokens.ts'
import { ownAddress } from '../../../src/onboarding/doctor/adapters/own-address.ts'
import { answerQuestion, examineDeployment } from '../../../src/onboarding/doctor/flows/examine-deployment.ts'
import { adviceIn, whoseMoveIn } from '../../../src/onboarding/domain/doctor/finding.ts'
import { answerTo, questionOf } from '../../../src/onboarding/domain/doctor/own-address.ts'
import { health, type Readiness } from '../../../src/onboarding/http/health.ts'

const ours = keyedTokens(new Secret(Buffer.alloc(32, 1)))
const others = keyedTokens(new Secret(Buffer.alloc(32, 2)))
const now = () => new Date()
const open: Server[] = []

const listening = async <S extends Server>(server: S) => {
  open.push(server)
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
const served = (listener: RequestListener) => listening(createServer(listener))
const deployment = (tokens: typeof ours) =>
  served(
    express().use(
      health(
        {} as Readiness,
        (question) => answerQuestion({ tokens, now }, question),
        () => {},
      ),
    ),
  )

let closed = ''
beforeAll(async () => {
  const server = createSocketServer()
  closed = await listening(server)
  await new Promise((done) => server.close(done))
})
afterEach(() => void open.splice(0).map((server) => server.close()))
afterAll(() => void open.splice(0).map((server) => server.close()))

async function examined(publicUrl: string, timeoutMs = 50_000) {
  const fetch = guardedFetch({ allow: [new URL(publicUrl).host], timeoutMs })
  const [finding] = await examineDeployment({ ownAddress: ownAddress(fetch, publicUrl), tokens: ours, now })
  await fetch.close()
  return finding!
}

test('an address of this deployment is ok', async () => {
  expect(await examined(`http://${await deployment(ours)}`)).toMatchObject({ check: 'public_url', verdict: 'ok' })
})

test.each([
  [
    'another server that answers 200',
    () => served((_req, res) => res.end('{"status":"ok"}')),
    /something else: status 200\.$/,
  ],
  [
    'a server that imitates our response',
    () => served((_req, res) => res.end('{"status":"alive"}')),
    /another signing key/,
  ],
  ['another deployment', () => deployment(others), /another signing key/],
  ['a proxy without a backend', () => served((_req, res) => res.writeHead(502).end()), /status 502/],
  [
    'a detour',
    () => served((_req, res) => res.writeHead(301, { location: 'https://elsewhere.example/' }).end()),
    /status 301/,
  ],
  ['nobody', async () => closed, /nothing listens there/],
])('reports to the operator an address that belongs to %s', async (_what, start, words) => {
  const finding = await examined(`http://${await start()}`)

  expect(finding).toMatchObject({ verdict: 'wrong', cause: 'callback_missing', evidence: expect.stringMatching(words) })
  expect([whoseMoveIn(finding), adviceIn(finding)]).toEqual(['operator', expect.stringContaining('PUBLIC_URL')])
})

test('reports a server without TLS at an https address', async () => {
  const finding = await examined(`https://${await served((_req, res) => res.end())}`)

  expect(finding).toMatchObject({ verdict: 'wrong', evidence: expect.stringContaining('does not speak TLS') })
})

test.each<[string, () => Promise<string>, RegExp, number?]>([
  ['an unresolvable name', async () => 'connect.invalid', /cannot be reached from this machine/],
  ['a server that never responds', () => served(() => {}), /cannot be reached from this machine/, 500],
  ['a proxy that blocks health checks', () => served((_req, res) => res.writeHead(404).end()), /proxy/],
])('reports %s as unknown with advice', async (_what, start, words, timeoutMs) => {
  const finding = await examined(`http://${await start()}`, timeoutMs)

  expect(finding).toMatchObject({ verdict: 'inconclusive', evidence: expect.stringMatching(words) })
  expect(whoseMoveIn(finding)).toBe('operator')
})

test('responds only to this deployment, for a limited time', () => {
  const question = questionOf(ours, ours.fresh(), now())
  const later = new Date(Date.now() + 10 * 60_000)

  expect(answerTo(ours, question, now())).toEqual(expect.any(String))
  expect(answerTo(ours, question, later)).toBeUndefined()
  expect(answerTo(ours, questionOf(others, ours.fresh(), now()), now())).toBeUndefined()
  for (const text of ['', 'hello', '1.2.3', `${Date.now()}.${ours.fresh()}.${ours.fresh()}`])
    expect(answerTo(ours, text, now())).toBeUndefined()
})

test('a caller without a probe token gets the public response', async () => {
  const address = `http://${await deployment(ours)}/healthz`
  const headers = { 'causeway-question': questionOf(others, ours.fresh(), now()) }

  const seen = [await (await fetch(address)).json(), await (await fetch(address, { headers })).json()]

  expect(seen).toEqual([{ status: 'alive' }, { status: 'alive' }])
})
