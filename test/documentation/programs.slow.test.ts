// Every program that a guide shows is run against the running program, as far as a reader could run it.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Causeway, createCauseway } from '../../packages/client/src/client.ts'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { readDocument } from '../architecture/documents.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../support/worlds/onboarding-world.ts'
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
  const returnUrls = [returnUrl, 'https://app.acme.example/connected']
  const tenant = { id: 'test_acme', workspace: 'acme', displayName: 'Acme', returnUrls }
  signingSecret = (await causeway.tenants.create(tenant)).signingSecret
})
afterAll(() => world.close())

const programIn = (document: string, about: RegExp): string => {
  const found = snippetsIn(document).filter(({ language, text }) => language === 'js' && about.test(text))
  expect(found).toHaveLength(1)
  return found[0]?.text ?? ''
}

/** As the body of an async function; what it imports and what stands around it in a reader's program is given. */
async function run(program: string, given: Record<string, unknown>, result = 'undefined'): Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => unknown
  const body = program.replaceAll(/^import .*$/gm, '')
  return new AsyncFunction(...Object.keys(given), `${body}\nreturn ${result}`)(...Object.values(given))
}

/** From the connect page through the test page to the return URL. */
async function approve(browser: HttpBrowser, url: string, stop: string): Promise<string> {
  const visited = await browser.follow(await browser.post(url), stop)
  const [, href = ''] = /<a href="([^"]*outcome=approved)"/.exec(visited.text) ?? []
  const chosen = await browser.get(new URL(href.replaceAll('&amp;', '&'), visited.url).href)
  return (await browser.follow(chosen, stop)).url
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

test('Receive webhooks verifies a message, and throws for another', async () => {
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

test('the sample signature of the guide is the one that our messages would have', () => {
  const text = readDocument('docs/guides/receive-webhooks.md')
  const [, secret = '', id = '', seconds = '', body = '', signature = ''] =
    /secret `(whsec_\S+)`, the ID `(\S+)`, the timestamp `(\d+)` and the body `(\S+)` the signature is `(\S+)`/.exec(
      text,
    ) ?? []

  expect(new Webhook(secret).sign(id, new Date(Number(seconds) * 1_000), body)).toBe(signature)
})

test('the server of the ten-minute start shows a button, links an account and verifies a message, in forty lines', async () => {
  const [program] = snippetsIn('docs/guides/ten-minute-start.md').filter(({ info }) => info === 'file=server.mjs')
  const app = await startApp(program?.text ?? '')
  const browser = new HttpBrowser()

  const page = await browser.get(app.url)
  const begun = await browser.post(`${app.url}/connect`)
  const at = await approve(browser, begun.headers.get('location') ?? '', app.url)
  const back = await browser.get(at)
  const { rawBody, headers } = message('link.succeeded', { linkId: 'lnk_1' })
  const post = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' } }
  const received = await fetch(`${app.url}/webhooks`, { ...post, body: rawBody })
  const forged = await fetch(`${app.url}/webhooks`, { ...post, body: `${rawBody} ` })

  expect(page.text).toContain('<causeway-connect action="/connect">')
  expect((await browser.get(`${app.url}/causeway/elements.js`)).text).toContain('customElements')
  expect(back.text).toBe('The link is linked. ')
  expect([received.status, forged.status]).toEqual([204, 400])
  expect(app.output()).toMatch(/Verified: link\.succeeded/)
  expect(program?.text.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
  app.child.kill()
})

type RunningApp = { url: string; child: ChildProcess; output: () => string }

/** In a folder like the one that the guide has its reader make, on a port of its own. */
async function startApp(program: string): Promise<RunningApp> {
  const folder = temporaryFolder()
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@causeway/client'), { recursive: true })
  for (const name of ['express', 'express-session']) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  const bundle = { absWorkingDir: root, bundle: true, target: 'node20', format: 'esm', logLevel: 'warning' } as const
  const banner = { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` }
  const client = join(modules, '@causeway/client')
  await build({
    ...bundle,
    entryPoints: ['packages/client/src/client.ts'],
    platform: 'node',
    banner,
    outfile: `${client}/index.js`,
  })
  const element = join(modules, '@causeway/connect/dist/elements.js')
  await build({ ...bundle, entryPoints: ['packages/connect/src/elements.ts'], platform: 'browser', outfile: element })
  writeFileSync(join(client, 'package.json'), '{ "type": "module", "main": "index.js" }')
  const port = await freePort()
  writeFileSync(join(folder, 'server.mjs'), program.replaceAll('4000', String(port)))
  const env = { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: key, CAUSEWAY_WEBHOOK_SECRET: secret }
  const child = spawn(process.execPath, ['server.mjs'], { cwd: folder, env })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  await waitFor('the app is ready', async () => text.includes('Open http') || (child.exitCode !== null && fail(text)))
  return { url: `http://localhost:${port}`, child, output: () => text }
}

function fail(text: string): never {
  throw new Error(text)
}
