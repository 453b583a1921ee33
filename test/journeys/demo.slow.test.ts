// Starts and stops of the demo. test/scripts/bad-input.test.ts has further settings that are rejected.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { demoThatEnds, type Places, type RunningDemo, runDemo } from './running-demo.ts'

// One demo for all tests, because each start takes many seconds.
describe('a demo', () => {
  const folder = temporaryFolder()
  const browser = new HttpBrowser()
  let demo: RunningDemo

  beforeAll(async () => {
    demo = await runDemo({ DEMO_DATA_DIR: folder, WEBHOOK_EGRESS_ALLOW: 'localhost:4000' }, { from: 'deployed' })
  }, 180_000)
  afterAll(async () => {
    await demo?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, 180_000)

  test('delivers webhooks to an allowed endpoint on this machine', async () => {
    const testKey = /API_KEY=(.*)/.exec(readFileSync(join(folder, 'causeway.env'), 'utf8'))?.[1]
    const call = (method: string, path: string, body: object) =>
      fetch(`${demo.places.causeway}/api/v1/tenants/test_local${path}`, {
        method,
        headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    await call('PUT', '', { workspace: 'acme', displayName: 'Acme', returnUrls: ['http://localhost:4000/connected'] })

    const allowed = await call('POST', '/webhooks', { url: 'http://localhost:4000/webhooks' })
    const other = await call('POST', '/webhooks', { url: 'http://localhost:4001/webhooks' })

    expect([allowed.status, other.status]).toEqual([201, 422])
  })

  test('is not disturbed by a second demo on the same folder, which is rejected with one line', async () => {
    const second = await demoThatEnds({ DEMO_DATA_DIR: folder })
    const still = await fetch(`${demo.places.causeway}/readyz`)

    expect(second.code).toBe(1)
    expect(second.output).toContain('the data folder is in use: another Causeway runs here')
    expect(still.status).toBe(200)
  })

  test('stops everything it started, and the next one continues with its data', async () => {
    const { places } = demo
    await browser.post(`${places.portal}/sign-in`)

    const code = await demo.stop()
    const leftovers = await alive(folder, places)
    demo = await runDemo({ DEMO_DATA_DIR: folder, PORTAL_PORT: new URL(places.portal).port })
    const page = await browser.get(`${demo.places.portal}/integrations`)

    expect(code).toBe(0)
    expect(leftovers).toEqual([])
    expect(page.text).toContain('user@acme.example')
    expect(logsOf(folder)).not.toMatch(secretsOf(folder))
  })

  test('stops if one of its programs dies, and reports it', async () => {
    process.kill(demo.pidOf('platform'), 'SIGKILL')
    const code = await demo.ended

    expect(code).toBe(1)
    expect(demo.output()).toContain(`platform ended: see ${join(folder, 'logs/platform.log')}`)
    expect(await alive(folder, demo.places)).toEqual([])
  })
})

test('a demo whose PostgreSQL does not respond is rejected with one line, and nothing is left running', async () => {
  const folder = folderOfThisTest()

  const { code, output } = await demoThatEnds({ DEMO_DATA_DIR: folder, DATABASE_URL: 'postgres://127.0.0.1:1/x' })

  expect(code).toBe(1)
  expect(output.trim().split('\n').at(-1)).toContain('DATABASE_URL: no PostgreSQL answers')
  expect(output).not.toContain('    at ')
  expect(await alive(folder)).toEqual([])
})

function folderOfThisTest(): string {
  const folder = temporaryFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The parts of a demo that still answer. */
async function alive(folder: string, places?: Places): Promise<string[]> {
  const { portal = [], causeway = [], platform = [], filebox = [] } = places ?? {}
  const redis = join(folder, 'redis/redis.conf')
  const [, redisPort] = (existsSync(redis) && /^port (\d+)$/m.exec(readFileSync(redis, 'utf8'))) || []
  const asked = [
    ...[portal, causeway, platform, filebox].flat(),
    ...(redisPort ? [`http://127.0.0.1:${redisPort}`] : []),
  ]
  const answers = await Promise.all(asked.map(isListening))
  const postgres = existsSync(join(folder, 'postgres/data/postmaster.pid')) ? ['PostgreSQL'] : []
  return [...asked.filter((_url, index) => answers[index]), ...postgres]
}

/** On a new connection: a kept-alive one proves nothing. */
const isListening = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname: host, port } = new URL(url)
    const socket = connect({ host, port: Number(port) })
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })

const logsOf = (folder: string): string =>
  readdirSync(join(folder, 'logs'))
    .map((name) => readFileSync(join(folder, 'logs', name), 'utf8'))
    .join('')

/** All secrets of the demo, as one pattern. */
function secretsOf(folder: string): RegExp {
  const kept = ['secrets.json', 'first-data.json'].map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const { madeFor: _, ...secrets } = Object.assign({}, ...kept)
  return new RegExp(
    Object.values<string>(secrets)
      .map((secret) => secret.replace(/^k1:/, ''))
      .join('|'),
  )
}
