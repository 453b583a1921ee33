// Every program that a guide shows is run against the running program, as far as a reader could run it.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Causeway, createCauseway } from '../../packages/client/src/client.ts'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { readDocument } from '../architecture/documents.ts'
import { npmInstall } from '../examples/npm-install.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { approve } from './approve.ts'
import { snippetsIn } from './snippets.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`

let world: OnboardingWorld
let key: string
let causeway: Causeway
let signingSecret: string

beforeAll(async () => {
  world = await startOnboarding()
  const testMode = { name: 'guides', tenant: undefined, testMode: true }
  key = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
  causeway = createCauseway({ url: world.url, apiKey: key })
  const pages = ['connected', 'integrations/return', 'settings']
  const returnUrls = [returnUrl, ...pages.map((page) => `https://app.acme.example/${page}`)]
  const tenant = { id: 'test_acme', workspace: 'acme', displayName: 'Acme', returnUrls }
  signingSecret = (await causeway.tenants.create(tenant)).signingSecret
})
afterAll(() => world.close())

const programIn = (document: string, about: RegExp): string => {
  const found = snippetsIn(document).filter(({ language, text }) => language === 'js' && about.test(text))
  expect(found).toHaveLength(1)
  return found[0]?.text ?? ''
}

/** Runs a program as the body of an async function. Its imports and surrounding variables are passed in. */
async function run(program: string, given: Record<string, unknown>, result = 'undefined'): Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => unknown
  const body = program.replaceAll(/^import .*$/gm, '')
  return new AsyncFunction(...Object.keys(given), `${body}\nreturn ${result}`)(...Object.values(given))
}

const connectYourUsers = 'docs/guides/connect-your-users.md'

/** With a browser that goes to the address where the program has a comment saying so. */
async function runAndBrowse(program: string, given: Record<string, unknown>): Promise<unknown> {
  const browse = async (url: string) => new URL(await approve(new HttpBrowser(), url, returnUrl)).search
  const [comment = ''] = /^\/\/ … the browser .*$/m.exec(program) ?? []
  expect(comment).not.toBe('')
  return run(program.replace(comment, 'const query = await browse(url)'), { causeway, browse, ...given }, 'link')
}

const linkOnce = () => {
  const request = { tenantId: 'test_acme', integrationId: 'gmail', endUser: { id: 'user-42' }, returnUrl }
  return runAndBrowse(programIn(connectYourUsers, /connect\.begin/), request)
}

test('the two calls of Connect your users link an account', async () => {
  expect(await linkOnce()).toMatchObject({ status: 'linked' })
})

test('the requests of its four steps link an account', async () => {
  const create = inTestMode(programIn(connectYourUsers, /connectSessions\.create/))
  const given = { causeway, createHash, randomBytes }
  const { session, verifier } = (await run(create, given, '{ session, verifier }')) as Begun
  const { searchParams } = new URL(await approve(new HttpBrowser(), session.url, 'https://app.acme.example'))
  const complete = programIn(connectYourUsers, /connectSessions\.complete/)

  const link = await run(complete, { causeway, sessionId: session.id, verifier, query: searchParams }, 'link')

  expect(link).toMatchObject({ status: 'linked' })
})

test('the manage session and the webhook endpoint are created, and integrations are listed', async () => {
  const manage = inTestMode(programIn(connectYourUsers, /manageSessions/))
  const subscribe = inTestMode(programIn('docs/guides/receive-webhooks.md', /webhooks\.create/))
  const list = programIn('docs/api.md', /integrations/)
  const listed: string[] = []
  const env = { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: key }

  await run(list, { createCauseway, process: { env }, console: { log: (id: string) => listed.push(id) } })

  expect(await run(manage, { causeway }, 'url')).toMatch(/^http/)
  expect(await run(subscribe, { causeway }, 'secret')).toMatch(/^whsec_/)
  expect(listed).toContain('gmail')
})

test('the names of a connection are changed, and a re-link session asks for what it lacks', async () => {
  const { connectionId } = (await linkOnce()) as { connectionId: string }
  const update = programIn(connectYourUsers, /connections\.update/)
  const relink = programIn(connectYourUsers, /missingScopes/)

  await run(update, { causeway, connectionId })

  expect(await run(relink, { causeway, connectionId }, 'url')).toMatch(/^http/)
})

type Begun = { session: { id: string; url: string }; verifier: string }

const inTestMode = (program: string) => program.replace("'acme'", "'test_acme'")

test('the two calls of Re-link a connection give it a new grant', async () => {
  const { connectionId } = (await linkOnce()) as { connectionId: string }
  const program = programIn('docs/guides/relink-a-connection.md', /connect\.beginRelink/)

  const link = await runAndBrowse(program, { connectionId, returnUrl })

  expect(link).toMatchObject({ status: 'linked', purpose: 'relink', connectionId })
})

test('its signature is the one in the return URL', async () => {
  const session = { tenantId: 'test_acme', integrationId: 'gmail', endUser: { id: 'user-42' }, returnUrl }
  const { url } = await causeway.connect.begin(session)
  const query = new URL(await approve(new HttpBrowser(), url, returnUrl)).searchParams

  const check = (given: URLSearchParams) =>
    run(
      programIn(connectYourUsers, /createHmac/),
      { createHmac, timingSafeEqual, query: given, signingSecret },
      'isOurs',
    )
  const changed = new URLSearchParams({ ...Object.fromEntries(query), status: 'linked' })
  const stale = new URLSearchParams({ ...Object.fromEntries(query), ts: '1794712345' })

  expect(await check(query)).toBe(true)
  expect(await check(changed)).toBe(false)
  expect(await check(stale)).toBe(false)
  expect(await check(new URLSearchParams())).toBe(false)
})

/** A message as webhook endpoints get it. */
function message(type: string, data: object) {
  const rawBody = JSON.stringify({ type, timestamp: new Date().toISOString(), data })
  const at = new Date()
  const signature = new Webhook(secret).sign('evt_1', at, rawBody)
  const seconds = String(Math.floor(at.getTime() / 1000))
  return { rawBody, headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': seconds, 'webhook-signature': signature } }
}

test('Receive webhooks verifies a message, and throws for a forged one', async () => {
  const program = programIn('docs/guides/receive-webhooks.md', /new Webhook/)
  const { rawBody, headers } = message('tenant.deleted', { tenantId: 'test_acme' })
  const verify = (body: string) => run(program, { Webhook, secret, rawBody: body, request: { headers } }, 'event')

  expect(await verify(rawBody)).toMatchObject({ type: 'tenant.deleted' })
  await expect(verify(`${rawBody} `)).rejects.toThrow(/signature/)
})

type Handler = (req: object, res: object) => Promise<void> | void

/** An Express that only remembers what it was given. */
function recordingApp() {
  const handlers = new Map<string, Handler>()
  const record = (path: string, ...given: unknown[]) => void handlers.set(path, given.at(-1) as Handler)
  return { handlers, app: { post: record, get: record }, express: { raw: () => undefined } }
}

test('the server in the README of the client links an account', async () => {
  const { handlers, app } = recordingApp()
  const program = programIn('packages/client/README.md', /connect\.begin/)
  const process = { env: { CAUSEWAY_API_KEY: key } }
  await run(program.replace('https://connect.example.com', world.url).replace("'acme'", "'test_acme'"), {
    ...{ createCauseway, app, process },
  })
  const visitor = { user: { id: 'user-42', email: 'user@acme.example' }, params: { integration: 'gmail' }, session: {} }
  const sent: string[] = []
  const res = { redirect: (url: string) => sent.push(url), send: (text: string) => sent.push(text) }

  await handlers.get('/connect/:integration')?.(visitor, res)
  const back = new URL(await approve(new HttpBrowser(), sent[0] ?? '', 'https://app.acme.example'))
  await handlers.get('/connected')?.({ ...visitor, query: Object.fromEntries(back.searchParams) }, res)

  expect(sent[1]).toMatch(/^Connected: http.*\/mcp$/)
})

test('its receiver verifies a message and acts on it', async () => {
  const { handlers, app, express } = recordingApp()
  const asked: string[][] = []
  const process = { env: { CAUSEWAY_WEBHOOK_SECRET: secret } }
  const askToReconnect = (...words: string[]) => asked.push(words)
  await run(programIn('packages/client/README.md', /webhooks\.verify/), {
    app,
    express,
    causeway,
    process,
    askToReconnect,
  })
  const { rawBody, headers } = message('connection.needs_relink', {
    endUser: { id: 'user-42' },
    connectionId: 'con_1',
  })
  const statuses: number[] = []

  await handlers.get('/hooks/causeway')?.(
    { body: rawBody, headers },
    { sendStatus: (status: number) => statuses.push(status) },
  )

  expect([statuses, asked]).toEqual([[204], [['user-42', 'con_1']]])
})

test('the sample signature of the guide matches our messages', () => {
  const text = readDocument('docs/guides/receive-webhooks.md')
  const [, secret = '', id = '', seconds = '', body = '', signature = ''] =
    /secret `(whsec_\S+)`, the ID `(\S+)`, the timestamp `(\d+)` and the body `(\S+)` the signature is `(\S+)`/.exec(
      text,
    ) ?? []

  expect(new Webhook(secret).sign(id, new Date(Number(seconds) * 1_000), body)).toBe(signature)
})

test('the ten-minute start installs the packages, links an account, calls a tool and verifies a message', async () => {
  const [program] = snippetsIn('docs/guides/ten-minute-start.md').filter(({ info }) => info === 'file=server.mjs')
  const app = await startApp(program?.text ?? '')
  onTestFinished(() => void app.child.kill())
  const browser = new HttpBrowser()

  const page = await browser.get(app.url)
  const begun = await browser.post(`${app.url}/connect`)
  const at = await approve(browser, begun.headers.get('location') ?? '', app.url)
  const back = await browser.get(at)
  const stranger = await new HttpBrowser().get(at)
  const forged = await fetch(`${app.url}/webhooks`, { method: 'POST', headers: { 'Content-Type': 'application/json' } })
  await waitFor('the event is verified', async () => /Verified: connection\.relinked/.test(app.output()))

  expect(page.text).toContain('<causeway-connect action="/connect">')
  expect((await browser.get(`${app.url}/causeway/elements.js`)).text).toContain('customElements')
  expect(back.text).toContain('Gmail is connected. The tool answered: {"account":"first@test.example"')
  expect([stranger.status, stranger.text]).toEqual([400, expect.stringContaining('That did not work. Start again.')])
  expect(forged.status).toBe(400)
  expect(program?.text.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
}, 300_000)

type RunningApp = { url: string; child: ChildProcess; output: () => string }

/** Starts the guide's app in a new folder, on its own port, with the command of step 4. */
async function startApp(program: string): Promise<RunningApp> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{}')
  await npmInstall(folder, ...['client', 'connect', 'cli'].map((name) => `${world.url}/packages/${name}.tgz`))
  for (const name of ['express', 'express-session']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  const port = await freePort()
  expect(program.match(/\b4000\b/g)).toHaveLength(1)
  writeFileSync(join(folder, 'server.mjs'), program.replace('4000', String(port)))
  writeFileSync(join(folder, 'causeway.env'), `CAUSEWAY_URL=${world.url}\nCAUSEWAY_API_KEY=${key}\n`)
  const listen = ['listen', '--tenant', 'test_acme', '--forward-to', `http://localhost:${port}/webhooks`]
  const words = ['node_modules/@causeway/cli/dist/main.js', ...listen, '--', process.execPath, 'server.mjs']
  const child = spawn(process.execPath, words, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  await waitFor('the app is ready', async () => text.includes('Open http') || (child.exitCode !== null && fail(text)))
  return { url: `http://localhost:${port}`, child, output: () => text }
}

function fail(text: string): never {
  throw new Error(text)
}
