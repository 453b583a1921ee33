import { randomUUID } from 'node:crypto'
import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleOf } from '../../../src/kit/http/openapi/schema-translator.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { resumeTasks } from '../../../src/onboarding/connections/flows/work-on-task.ts'
import type { EffectivePolicy } from '../../../src/onboarding/domain/settings-changes/tool-policy.ts'
import { sealAudit } from '../../../src/onboarding/flows/seal-audit.ts'
import { relayPath } from '../../../src/onboarding/http/openapi/relay-paths.ts'
import type { ApiRoute } from '../../../src/onboarding/http/route.ts'
import { workOnImports } from '../../../src/onboarding/imports/flows/work-on-imports.ts'
import { resumeErasures } from '../../../src/onboarding/offboarding/flows/work-on-erasure.ts'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { deliverWebhooks } from '../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { pngFile } from '../../support/doubles/pictures.ts'
import { answering, startReceiver, type WebhookReceiver } from '../../support/doubles/webhook-receiver.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type Answer, answerBy } from '../../support/oracles/documented-answers.ts'
import { unlikeAnswers } from '../../support/oracles/example-facets.ts'
import { type OnboardingWorld, providerEntry, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let routes: readonly ApiRoute[]
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startOnboarding({
    integration: { revocation: { reach: 'grant' } },
    egressAllow: [receiver.host],
    // The scripted control plane has no policies.
    replace: () => ({ platformPolicies: { effective: async () => effectivePolicy } }),
  })
  routes = describedApi(world.url).routes
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

test('the document lists exactly the served routes, and the relay', async () => {
  const { body } = await request(world.app).get('/openapi.json')

  const { [relayPath]: relay, ...paths } = body.paths as Record<string, object>
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )
  expect(relay).toBeDefined()
  expect(body.openapi).toBe('3.1.0')
  expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort())
})

// Every answer that `world.api` gets, here and in all other tests, is compared with the document by the client itself.
test('every documented route answers as its example, and each POST is done once per key', {
  timeout: 180_000,
}, async () => {
  const answered = new Map<string, unknown[]>()
  const inTestMode = await apiWithKey({ testMode: true })
  const forSettings = await apiWithKey({ purpose: 'settings' })
  const apiFor = (path: string) => {
    if (path.includes('/settings')) return forSettings
    return path.includes('/test_') ? inTestMode : world.api
  }
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers: Record<string, string> = method === 'post' ? { 'Idempotency-Key': randomUUID() } : {}
    const api = apiFor(path)
    const answer = await api(method.toUpperCase(), path, body, headers)
    if (method === 'post') {
      const { status, body: told } = answer
      expect(await sentAgain(api, path, body, headers)).toEqual({ path, status, body: told, replayed: 'true' })
    }
    const route = routes.find((each) => each.method === method && matches(each, path))
    if (route && answer.status in route.answers) {
      const key = `${route.operationId} ${answer.status}`
      answered.set(key, [...(answered.get(key) ?? []), answer.body])
    }
    return answer.body
  }
  await walkEveryRoute(ask)

  const promised = routes.flatMap(({ operationId, answers }) =>
    Object.entries(answers).map(([status, schema]) => ({ key: `${operationId} ${status}`, schema })),
  )
  expect([...answered.keys()].sort()).toEqual(promised.map(({ key }) => key).sort())
  const seen = [...answered.values()].flat()
  const unlike = promised.flatMap(({ key, schema }) =>
    unlikeAnswers(schema && exampleOf(schema), seen).map((facet) => `${key}: ${facet}`),
  )
  expect(unlike).toEqual([])
})

test('detects undocumented parts of a response', async () => {
  const path = '/tenants/nobody'
  const real = await request(world.app).get(`/api/v1${path}`).set('Authorization', `Bearer ${world.key}`)
  const missing = answerBy('get', path, real)
  const body = JSON.parse(missing.text)
  const withHeader = (name: string, value: string) => new Headers([...missing.headers, [name, value]])
  const changed: Array<[change: Partial<Answer>, problem: RegExp]> = [
    [{ status: 418 }, /status is not documented/],
    [{ path: '/nothing', status: 200 }, /route is not documented/],
    [{ headers: withHeader('location', '/elsewhere') }, /header location is not documented/],
    [{ headers: new Headers({ 'content-type': 'application/json; charset=utf-8' }) }, /X-Request-Id is missing/],
    [{ headers: new Headers({ 'content-type': 'text/html' }) }, /content type text\/html is not documented/],
    [{ text: JSON.stringify({ ...body, secret: 1 }) }, /additionalProperty":"secret/],
    [{ text: JSON.stringify({ ...body, code: 'campaign_empty' }) }, /\/code must be equal to constant/],
    [{ status: 429 }, /Retry-After is missing/],
  ]

  await world.documented(missing)
  for (const [change, problem] of changed) {
    await expect(world.documented({ ...missing, ...change })).rejects.toThrow(problem)
  }
})

test('the reference shows every operation with its own errors', async () => {
  const document = (await request(world.app).get('/openapi.json')).body
  const pages = new Map<string, string>()
  for (const { name } of document.tags as Array<{ name: string }>) {
    const { text } = await request(world.app)
      .get(`/docs/api/${name.toLowerCase().replace(' ', '-')}`)
      .expect(200)
    pages.set(name, text)
  }

  for (const { tag, operationId, failures } of routes) {
    const [, section = ''] = (pages.get(tag) ?? '').split(`<section class="call" aria-labelledby="${operationId}">`)
    const [shown = ''] = section.split('</section>')
    for (const code of failures) expect(shown, operationId).toContain(`/docs/reference/errors#${code}"`)
    expect(shown).not.toBe('')
  }
})

async function apiWithKey(more: { testMode: true } | { purpose: 'settings' }) {
  const { key } = await world.world.apiKeys.create({ name: 'more', tenant: undefined, ...more }, { kind: 'operator' })
  return world.apiAs(key.reveal())
}

async function sentAgain(api: OnboardingWorld['api'], path: string, body: unknown, headers: Record<string, string>) {
  const answer = await api('POST', path, body, headers)
  return { path, status: answer.status, body: answer.body, replayed: answer.headers.get('idempotency-replayed') }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every route, compared with their schemas by the caller
type Ask = (method: string, path: string, body?: unknown) => Promise<any>

async function walkEveryRoute(ask: Ask) {
  const tenant = { workspace: 'initech', displayName: 'Initech', returnUrls: ['https://initech.example/return'] }
  await ask('put', '/tenants/initech', tenant)
  await ask('put', '/tenants/initech', tenant)
  await ask('post', '/tenants', { ...tenant, workspace: 'hooli' })
  await ask('patch', '/tenants/initech', { displayName: 'Initech Ltd' })
  await ask('post', '/tenants/initech/rotate-signing-secret')
  await ask('post', '/tenants/initech/suspend')
  await ask('post', '/tenants/initech/reactivate')
  await ask('put', '/tenants/initech/logos/light', { image: pngFile({ width: 40, height: 40 }).toString('base64') })
  await ask('get', '/tenants/initech')
  await ask('delete', '/tenants/initech/logos/light')
  await ask('put', '/tenants/initech/oauth-clients/gmail', { clientId: 'a', clientSecret: 'b' })
  await ask('get', '/tenants/initech/oauth-clients')
  await ask('delete', '/tenants/initech/oauth-clients/gmail')
  for (const path of ['/tenants', '/tenants/initech', '/integrations']) await ask('get', path)
  const cancelled = await world.mint()
  await ask('get', `/connect-sessions/${cancelled.id}`)
  await ask('post', `/connect-sessions/${cancelled.id}/cancel`)
  const challenge = { completionChallenge: 'c'.repeat(43), returnUrl: 'https://initech.example/return' }
  await ask('post', '/connect-sessions', {
    tenantId: 'initech',
    integrationId: 'provider',
    endUser: { id: 'u', email: 'u@initech.example' },
    ...challenge,
  })
  const managed = await ask('post', '/manage-sessions', { tenantId: 'acme', endUser: { id: 'u' } })
  await ask('get', `/manage-sessions/${managed.id}`)
  await ask('post', `/manage-sessions/${managed.id}/revoke`)
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  const proof = { completionCode: query.completion_code, completionVerifier: minted.verifier }
  const link = await ask('post', `/connect-sessions/${minted.id}/complete`, proof)
  for (const path of ['/links', `/links/${link.id}`, '/connections']) await ask('get', path)
  await ask('get', `/connections/${link.connection.id}`)
  await walkSettings(ask)
  await walkToolPolicy(ask, '/tenants/acme')
  await walkToolPolicy(ask, `/connections/${link.connection.id}`)
  await callConnections(ask, `/connections/${link.connection.id}`)
  await walkAuditChain(ask)
  await walkImports(ask)
  await walkWebhooks(ask)
  await walkResuming(ask)
  await ask('get', '/tenants/initech/export')
  await walkErasures(ask)
  await ask('delete', '/tenants/initech')
  await ask('get', '/tenants/initech/deletion')
}

async function walkErasures(ask: Ask) {
  const endUser = { id: 'user-1' }
  const { id } = await ask('post', '/erasures', { tenantId: 'acme', endUser, reason: 'ticket 4711' })
  await ask('get', `/erasures/${id}`)
  for (let status = 'pending'; status !== 'done'; ) {
    for (const table of ['erasures', 'connection_tasks', 'outbox', 'webhook_deliveries'])
      await world.sql.query(`update ${table} set due_at = now() where due_at is not null`)
    await world.sql.query(`update erasures set step_since = now() - interval '2 hours'`)
    await sweepLinks(world.ports, world.settings)
    await resumeTasks(world.ports, world.settings)
    await resumeErasures(world.ports, world.settings)
    status = (await ask('get', `/erasures/${id}`)).status
  }
  await ask('get', '/erasures')
}

async function walkSettings(ask: Ask) {
  const path = '/integrations/added/settings'
  const { id: _, ...settings } = providerEntry(world.provider)
  await ask('put', path, { settings: { ...settings, profile: 'gmail' } })
  const { version } = await ask('get', path)
  await ask('delete', path)
  await ask('post', `${path}/rollback`, { version })
  await ask('get', `${path}/versions`)
}

async function walkToolPolicy(ask: Ask, owner: string) {
  await ask('put', `${owner}/tool-policy`, { policy: { readOnly: true }, reason: 'trial' })
  const { version } = await ask('get', `${owner}/tool-policy`)
  await ask('delete', `${owner}/tool-policy`)
  await ask('post', `${owner}/tool-policy/rollback`, { version, reason: 'trial goes on' })
  await ask('get', `${owner}/tool-policy/versions`)
  await ask('delete', `${owner}/tool-policy`)
}

async function walkAuditChain(ask: Ask) {
  await sealAudit(world.ports)
  await ask('get', '/audit/records?tenantId=acme&limit=100')
  await ask('get', '/audit/head?tenantId=acme')
}

async function callConnections(ask: Ask, connection: string) {
  const why = { reason: 'it stopped working' }
  const relink = async () => {
    const { url } = await ask('post', `${connection}/relink-sessions`, why)
    const browser = new HttpBrowser()
    await browser.follow(await browser.post(url))
  }
  await relink()
  await ask('patch', connection, { alias: 'work', labels: { team: 'sales' }, ...why })
  await ask('post', `${connection}/health-checks`, why)
  await ask('get', `${connection}/health`)
  await ask('post', `${connection}/verify`, why)
  await ask('post', `${connection}/function-logins`, {})
  await ask('delete', `${connection}/function-logins`)
  const { data } = await ask('get', `${connection}/function-grants`)
  await walkToolPolicy(ask, `${connection}/function-grants/${data[0].id}`)
  await ask('delete', `${connection}/function-grants/${data[0].id}`)
  const { pending } = await ask('get', `${connection}/tool-list`)
  await ask('post', `${connection}/tool-list/approval`, { hash: pending.hash })
  await ask('get', `${connection}/approvals`)
  world.platform.relay = async (_req, res) => void res.end(JSON.stringify(issuedToken))
  await ask('get', `${connection}/access-token`)
  await ask('post', '/connections', { tenantId: 'acme', integrationId: 'provider', endUser: { id: 'before' } })
  await ask('post', `${connection}/rollback`, why)
  await world.sql.query(`update connections set status = 'needs_relink', cause = 'grant_revoked'`)
  await ask('get', `${connection}?locale=de`)
  const { id } = await ask('post', '/campaigns', { causeCode: 'grant_revoked', integrationId: 'provider', ...why })
  for (const path of ['/campaigns', `/campaigns/${id}`, `/campaigns/${id}/members`]) await ask('get', path)
  await ask('post', `/campaigns/${id}/cancel`, why)
  const task = await ask('post', `${connection}/disconnect`, why)
  await ask('get', `${connection}/tasks/${task.id}`)
  await ask('get', '/audit')
}

const effectivePolicy: EffectivePolicy = {
  deny: [],
  readOnly: true,
  relay: [],
  accessTokens: false,
  perMinute: {},
  approval: [],
  decidedBy: { readOnly: ['connection'] },
}

const issuedToken = {
  accessToken: 'short-lived',
  expiresAt: '2026-11-15T09:55:00.000Z',
  header: 'authorization',
  prefix: 'Bearer ',
  apiHosts: ['api.provider.example'],
}

async function walkImports(ask: Ask) {
  const { id } = await ask('post', '/imports', { tenantId: 'acme', name: 'a move' })
  const row = { key: '1', integrationId: 'provider', endUser: { id: 'u' }, accountId: 'a', refreshToken: 'unknown' }
  await ask('post', `/imports/${id}/rows`, { rows: [row, { ...row, key: '2', integrationId: 'none' }] })
  await workOnImports(world.ports, world.settings)
  for (const path of ['/imports', `/imports/${id}`, `/imports/${id}/rows`]) await ask('get', path)
  await ask('post', `/imports/${id}/cancel`)
}

async function walkWebhooks(ask: Ask) {
  const { id } = await ask('post', '/tenants/acme/webhooks', { url: receiver.url })
  await ask('get', '/tenants/acme/webhooks')
  await ask('post', `/tenants/acme/webhooks/${id}/rotate-secret`)
  await ask('post', `/tenants/acme/webhooks/${id}/disable`)
  await ask('post', `/tenants/acme/webhooks/${id}/enable`)
  receiver.receive = answering(500)
  await (await deliverWebhooks(world.ports)()).done
  const { data } = await ask('get', '/tenants/acme/webhook-deliveries')
  await ask('post', `/tenants/acme/webhook-deliveries/${data[0].id}/replay`)
  await ask('delete', `/tenants/acme/webhooks/${id}`)
  await ask('get', '/tenants/acme/events')
  const returnUrls = ['https://initech.example/return']
  await ask('put', '/tenants/test_initech', { workspace: 'initech', displayName: 'Initech', returnUrls })
  await ask('post', '/tenants/test_initech/events', { type: 'link.succeeded' })
}

async function walkResuming(ask: Ask) {
  world.platform.fault = () => 422
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  world.platform.fault = undefined
  await ask('post', `/links/${body.id}/resume`)
  await ask('post', '/link-resumptions', { causeCode: 'platform_refused', reason: 'fixed' })
}

const matches = ({ path }: ApiRoute, asked: string) =>
  new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked.split('?')[0] as string)
