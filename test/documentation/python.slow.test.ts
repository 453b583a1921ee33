// Runs the Python of the guides and of the client's README against the running program, and that of the API reference
// against a recorder.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPython } from '../../scripts/set-up/steps.mjs'
import { describedApi } from '../../src/onboarding/app.ts'
import { codeSamples } from '../../src/onboarding/http/openapi/code-samples.ts'
import { openApiDocument } from '../../src/onboarding/http/openapi/openapi.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { approve } from './approve.ts'
import { snippetsIn } from './snippets.ts'

const client = fileURLToPath(new URL('../../packages/python', import.meta.url))
const program = findPython()
const connectYourUsers = 'docs/guides/connect-your-users.md'
const receiveWebhooks = 'docs/guides/receive-webhooks.md'
const readme = 'packages/python/README.md'
const returnUrl = 'https://app.acme.example/integrations/return'
const readmeReturnUrl = 'https://app.acme.example/connected'

let world: OnboardingWorld
let key: string
let folder: string

beforeAll(async () => {
  world = await startOnboarding()
  const testMode = { name: 'guides', tenant: undefined, testMode: true }
  key = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
  const returnUrls = [returnUrl, readmeReturnUrl, 'https://app.acme.example/settings']
  await world.apiAs(key)('PUT', '/tenants/test_acme', { workspace: 'acme', displayName: 'Acme', returnUrls })
  folder = temporaryFolder()
  writeFileSync(join(folder, 'requests.py'), requestsDouble)
})
afterAll(() => world.close())

/** The part of `requests` that the documentation uses, in the standard library. */
const requestsDouble = `
import json as text, urllib.request
class Response:
    def __init__(self, status_code, body):
        self.status_code, self._body = status_code, body
    def raise_for_status(self):
        assert self.status_code < 400
    def json(self):
        return text.loads(self._body)
def sender(method):
    def send(url, headers, json=None):
        body = None if json is None else text.dumps(json).encode()
        request = urllib.request.Request(url, body, {**headers, "Content-Type": "application/json"}, method=method.upper())
        with urllib.request.urlopen(request) as answer:
            return Response(answer.status, answer.read())
    return send
get, post, put, patch, delete = map(sender, ["get", "post", "put", "patch", "delete"])
`

const programIn = (document: string, about: RegExp): string => {
  const found = snippetsIn(document).filter(({ language, text }) => language === 'python' && about.test(text))
  expect(found).toHaveLength(1)
  return (found[0]?.text ?? '').replaceAll('"acme"', '"test_acme"').replace('/tenants/acme/', '/tenants/test_acme/')
}

async function python(text: string, settings: Record<string, string> = {}): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH, PYTHONPATH: `${folder}:${client}`, PYTHONDONTWRITEBYTECODE: '1' },
    ...{ CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: key, ...settings },
  }
  const { stdout } = await promisify(execFile)(program ?? '', ['-c', text], { env, maxBuffer: 10_000_000 })
  return stdout
}

/** Gives a program its variables, and returns the value of an expression at its end. */
async function run(text: string, given: Record<string, unknown>, result: string) {
  const start = `import base64, hashlib, json, os, secrets, requests
from causeway import Causeway
causeway = Causeway(os.environ["CAUSEWAY_URL"], os.environ["CAUSEWAY_API_KEY"])
globals().update(json.loads(os.environ["GIVEN"]))
`
  const output = await python(`${start}${text}\nprint(json.dumps(${result}))`, { GIVEN: JSON.stringify(given) })
  return JSON.parse(output.trim().split('\n').at(-1) ?? '')
}

const queryOf = async (url: string, stop = returnUrl) =>
  Object.fromEntries(new URL(await approve(new HttpBrowser(), url, stop)).searchParams)

function signed(secret: string, body: string) {
  const sentAt = new Date()
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', sentAt, body),
  }
}

describe.skipIf(!program)('Python in the documentation', () => {
  test('the two calls of Connect your users link an account', async () => {
    const [begin = '', finish = ''] = programIn(connectYourUsers, /connect\.begin/).split(/^# … the browser .*$/m)
    const ids = { tenant_id: 'test_acme', integration_id: 'gmail', return_url: returnUrl }
    const given = { ...ids, end_user: { id: 'user-42' } }
    const { url, state } = await run(begin, given, '{"url": started.url, "state": started.state}')

    const link = await run(finish, { state, query: await queryOf(url) }, 'link')

    expect(link).toMatchObject({ status: 'linked' })
  })

  test('the requests of its four steps link an account', async () => {
    const create = programIn(connectYourUsers, /v1\/connect-sessions"/)
    const { session, verifier } = await run(create, {}, '{"session": session, "verifier": verifier}')
    const given = { session_id: session.id, verifier, query: await queryOf(session.url) }

    const link = await run(programIn(connectYourUsers, /\/complete"/), given, 'link')

    expect(link).toMatchObject({ status: 'linked' })
  })

  test('the manage session and the webhook endpoint are created', async () => {
    expect(await run(programIn(connectYourUsers, /manage-sessions/), {}, 'url')).toMatch(/^http/)
    expect(await run(programIn(receiveWebhooks, /\/webhooks"/), {}, 'secret')).toMatch(/^whsec_/)
  })

  test('a webhook message is verified, and a forged one raises', async () => {
    const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`
    const body = '{"type":"tenant.deleted","data":{}}'
    const headers = signed(secret, body)
    const setUp = 'import types\nrequest, raw_body = types.SimpleNamespace(headers=headers), text.encode()\n'
    const verifying = `${setUp}${programIn(receiveWebhooks, /verify_webhook/)}`

    expect(await run(verifying, { headers, text: body, secret }, 'event')).toMatchObject({ type: 'tenant.deleted' })
    await expect(run(verifying, { headers, text: `${body} `, secret }, 'event')).rejects.toThrow(/WebhookError/)
  })

  test('the introduction to the API lists integrations', async () => {
    expect(await python(programIn('docs/api.md', /integrations/))).toMatch(/^asana$/m)
  })

  test('the button of the README links an account, and three lines call its app', async () => {
    const button = programIn(readme, /def connect/)
    const begun = 'session = {}\nurl = connect("user-readme", session)'
    const { url, session } = await run(`${button}\n${begun}`, {}, '{"url": url, "session": session}')

    const query = await queryOf(url, readmeReturnUrl)
    const shown = await run(button, { query, session }, 'connected(query, session)')

    const { body } = await world.apiAs(key)('GET', '/connections?endUserId=user-readme')
    const called = await run(
      programIn(readme, /connections\.request/),
      { connection_id: body.data[0].id },
      'response.status_code',
    )
    const listed = await python(`import os\n${programIn(readme, /async def main/).replace('user-1', 'user-readme')}`)
    expect(shown).toMatch(/^Connected: http.*\/mcp$/)
    expect(called).toBe(200)
    expect(listed).toBe(`${body.data[0].id} active\n`)
  })

  test('the webhook handler of the README narrows an event', async () => {
    const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`
    const data = { endUser: { id: 'user-1' }, connectionId: 'con_1' }
    const text = JSON.stringify({ type: 'connection.needs_relink', data })
    const headers = signed(secret, text)
    const setUp = `import types
request, asked = types.SimpleNamespace(headers=headers, body=text.encode()), []
ask_to_reconnect = lambda *given: asked.append(given)
os.environ["CAUSEWAY_WEBHOOK_SECRET"] = secret
`

    expect(await run(`${setUp}${programIn(readme, /webhooks\.verify/)}`, { headers, text, secret }, 'asked')).toEqual([
      ['user-1', 'con_1'],
    ])
  })

  test('each example of the API reference sends the documented request', async () => {
    const api = describedApi('https://connect.example.com')
    const { paths } = openApiDocument(api)
    const operations = api.routes.map((route) => {
      const operation = paths[route.path]?.[route.method] as Operation | undefined
      const body = operation?.requestBody?.content['application/json'].example
      const sample = codeSamples(route, body).find(({ language }) => language === 'python')?.code ?? ''
      return { ...route, body, sample }
    })

    const output = await python(
      `${recorder}${operations.map(({ sample }) => `begin()\n${sample}`).join('\n')}\nbegin()`,
    )

    const recorded = output
      .split('\n')
      .filter((line) => line.startsWith('['))
      .map((line) => JSON.parse(line))
      .slice(1)
    expect(recorded).toHaveLength(operations.length)
    for (const [at, { operationId, method, path, body = null }] of operations.entries()) {
      const url = expect.stringMatching(new RegExp(`^/api/v1${path.replaceAll(/\{\w+\}/g, '[^/{}]+')}$`))
      const challenge = { completionChallenge: expect.any(String) }
      const sent: Record<string, unknown> = {
        createConnectSession: { ...(body as object), ...challenge },
        completeConnectSession: { completionCode: 'c', completionVerifier: 'v' },
      }
      expect(recorded[at].at(-1)).toEqual([method.toUpperCase(), url, sent[operationId] ?? body])
    }
  })

  /** The samples call `causeway` of this program. `begin` prints the requests since it was last called. */
  const recorder = `
import json, httpx
from causeway import Causeway
recorded = []
def record(request):
    recorded.append([request.method, request.url.path, json.loads(request.content) if request.content else None])
    return httpx.Response(200, json={"id": "an", "url": "u", "expiresAt": "e", "data": [], "status": "done"})
def begin():
    print(json.dumps(recorded))
    recorded.clear()
causeway = Causeway("https://connect.example.com", "k", transport=httpx.MockTransport(record))
query, state = "connect_session_id=ses_1&completion_code=c", "cws1.ses_1.v"
`
})

type Operation = { requestBody?: { content: { 'application/json': { example?: unknown } } } }
