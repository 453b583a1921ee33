// Every request that a guide shows is sent to the running program, with its placeholders filled in.
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { webhookMessages } from '../../src/onboarding/webhooks/http/webhook-messages.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { requestsIn } from './requests.ts'
import { integratorDocuments, placeOf, type Snippet, snippetsIn } from './snippets.ts'

const isRequest = ({ language, info, text }: Snippet) =>
  language === 'http' ? !text.startsWith('POST /causeway') : language === 'json' ? info !== '' : /^curl /m.test(text)

/** Documents of the misbehaving provider, which has its own tests. */
const isOtherProgram = ({ document }: Snippet) => document.endsWith('misbehaving-provider.md')

const requestSnippets = integratorDocuments
  .flatMap(snippetsIn)
  .filter((snippet) => isRequest(snippet) && !isOtherProgram(snippet))

const requests = requestSnippets.flatMap((snippet) =>
  requestsIn(snippet).map((request) => ({ place: placeOf(snippet), request })),
)

/** Refused here for a reason that is not the guide's. */
const refused: Array<{ path: RegExp; code: string }> = [
  // Functions do not run in test mode.
  { path: /\/function-logins$/, code: 'not_in_test_mode' },
  // There is no logo.png here; test/onboarding/tenants/http/branding.test.ts sends pictures.
  { path: /\/logos\/light$/, code: 'input_invalid' },
  // No connection of this world is broken.
  { path: /\/campaigns$/, code: 'campaign_empty' },
]

let world: OnboardingWorld
let api: OnboardingWorld['api']
let key: string

const tenant = {
  workspace: 'acme',
  displayName: 'Acme',
  returnUrls: [
    'app.acme.example/integrations/return',
    'app.acme.example/settings',
    'acme.example/integrations/return',
  ].map((address) => `https://${address}`),
}
const returnUrl = 'https://app.acme.example/integrations/return'

beforeAll(async () => {
  world = await startOnboarding()
  const testMode = { name: 'guides', tenant: undefined, testMode: true }
  key = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
  api = world.apiAs(key)
})
afterAll(() => world.close())

/** A link that waits for its completion. */
async function authorized() {
  const verifier = randomBytes(32).toString('base64url')
  const completionChallenge = createHash('sha256').update(verifier).digest('base64url')
  const session = {
    tenantId: 'test_acme',
    integrationId: 'gmail',
    endUser: { id: 'user-1' },
    returnUrl,
    completionChallenge,
  }
  const { body } = await api('POST', '/connect-sessions', { ...session, testOutcome: 'approved' })
  const browser = new HttpBrowser()
  const { url } = await browser.follow(await browser.post(body.url), returnUrl)
  return { id: body.id, verifier, completionChallenge, code: new URL(url).searchParams.get('completion_code') ?? '' }
}

/** Puts in what a guide leaves to its reader. */
async function readerOf() {
  const waiting = await authorized()
  const linked = await authorized()
  const proof = { completionCode: linked.code, completionVerifier: linked.verifier }
  const link = await api('POST', `/connect-sessions/${linked.id}/complete`, proof)
  const rows = await api('POST', '/imports', { tenantId: 'test_acme' })
  return (text: string) =>
    text
      .replace(/\/tenants\/acme\b/, '/tenants/test_acme')
      .replace('"tenantId": "acme"', '"tenantId": "test_acme"')
      .replace('"id": "acme"', '"id": "test_another"')
      .replace('ses_…', waiting.id)
      .replace('con_…', link.body.connectionId)
      .replace('imp_…', rows.body.id)
      .replace('<base64url(sha256(verifier))>', waiting.completionChallenge)
      .replace('<from the return URL>', waiting.code)
      .replace('<from the session of the user>', waiting.verifier)
}

/** Fields that abbreviated bodies omit, and fields that test mode requires. */
const leftOut: Record<string, object | undefined> = {
  '/api/v1/connect-sessions': { endUser: { id: 'user-42' }, returnUrl, completionChallenge: 'c'.repeat(43) },
  '/api/v1/campaigns': { tenantId: 'test_acme' },
}

test.each(requests)('$place: $request.method $request.path', async ({ request }) => {
  await api('PUT', '/tenants/test_acme', tenant)
  await api('POST', '/tenants/test_acme/reactivate') // a guide before this one suspends it
  const fillIn = await readerOf()
  const path = fillIn(decodeURIComponent(request.path))
  const body = request.body ? { ...leftOut[path], ...JSON.parse(fillIn(request.body)) } : null
  const accept = request.headers.Accept ?? 'application/json'
  const headers = { Accept: accept, 'Content-Type': 'application/json', Authorization: `Bearer ${key}` }

  const answer = await fetch(`${world.url}${path}`, {
    method: request.method,
    headers,
    body: body && JSON.stringify(body),
  })

  const excuse = refused.find((each) => each.path.test(path))
  expect(path).toMatch(/^\/api\/v1\//)
  expect(await refusalOf(answer)).toBe(excuse?.code)
})

/** Returns undefined for a success, whose body may be JSON lines or CSV. */
const refusalOf = async (answer: Response) =>
  answer.ok ? undefined : ((await answer.json()) as { code?: string }).code

test('the message in the webhook guide matches a sent one', () => {
  const [message] = snippetsIn('docs/guides/receive-webhooks.md').filter(({ text }) =>
    text.startsWith('POST /causeway'),
  )
  const [head = '', body = ''] = message?.text.split('\n\n') ?? []
  const { type, ...rest } = JSON.parse(body)

  expect(head).toMatch(/^webhook-id: evt_.*\nwebhook-timestamp: \d+\nwebhook-signature: v1,/m)
  const described = webhookMessages.find((each) => each.type === type)
  expect(described?.body.safeParse({ type, ...rest }).error).toBeUndefined()
})
