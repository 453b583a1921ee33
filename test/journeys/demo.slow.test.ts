// Starts and stops of the demo.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { HttpBrowser, type Visit } from '../support/http/http-browser.ts'
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

test('a demo without Redis reports it, and users can link accounts', async () => {
  const folder = folderOfThisTest()
  const demo = await runDemo({ DEMO_DATA_DIR: folder, CAUSEWAY_STORE: 'in-process' })
  const browser = new HttpBrowser()
  const submit = async (page: Visit, form: string, fields?: Record<string, string>) =>
    browser.follow(await browser.post(actionOf(page, form), fields))

  await browser.post(`${demo.places.portal}/sign-in`)
  const integrations = await browser.get(`${demo.places.portal}/integrations`)
  const connect = await submit(integrations, 'filebox/connect')
  const signIn = await submit(connect, '/connect/')
  const consent = await submit(signIn, 'sign-in', { email: 'first@filebox.example', password: 'filebox-first' })
  const linked = await submit(consent, 'allow')
  const ready = await fetch(`${demo.places.causeway}/readyz`)
  await demo.stop()

  expect(linked.text).toContain('Your account is connected')
  expect(ready.status).toBe(200)
  expect(demo.output()).toContain('without Redis')
  expect(logsOf(folder)).toContain('redis.absent')
  expect(existsSync(join(folder, 'redis'))).toBe(false)
})

test.each([
  ['an address without a Redis', { REDIS_URL: 'http://127.0.0.1:1' }, 'REDIS_URL: must be a redis:// address'],
  ['a Redis that does not respond', { REDIS_URL: 'redis://127.0.0.1:1' }, 'REDIS_URL: no Redis answers there'],
  [
    'a PostgreSQL that does not respond',
    { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
    'DATABASE_URL: no PostgreSQL answers',
  ],
  ['an invalid port', { FILEBOX_PORT: 'many' }, 'FILEBOX_PORT: must be a port number'],
])('%s is rejected with one line, and nothing is left running', async (_case, env, line) => {
  const folder = folderOfThisTest()

  const { code, output } = await demoThatEnds({ DEMO_DATA_DIR: folder, ...env })

  expect(code).toBe(1)
  expect(output.trim().split('\n').at(-1)).toContain(line)
  expect(output).not.toContain('    at ')
  expect(await alive(folder)).toEqual([])
})

test('a used port is rejected with one line', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }

  const { code, output } = await demoThatEnds({ DEMO_DATA_DIR: folderOfThisTest(), PORTAL_PORT: String(port) })
  server.close()

  expect(code).toBe(1)
  expect(output.trim()).toBe(`PORTAL_PORT: port ${port} is taken, choose another one`)
})

/** The action of the form whose address contains this text. */
function actionOf({ url, text }: Visit, part: string): string {
  const actions = [...text.matchAll(/<form[^>]* action="([^"]+)"/g)].map(([, action = '']) => action)
  return new URL(actions.find((action) => action.includes(part)) ?? '', url).href
}

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
