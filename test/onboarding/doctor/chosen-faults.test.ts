// Faults that were chosen without knowing what the doctor checks, by two people: the misbehaving provider departs from its
// entry.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Instance } from '../../../src/demo/misbehave/domain/instance.ts'
import { integrationEntry } from '../../../src/demo/misbehave/domain/integration-entry.ts'
import type { Switches } from '../../../src/demo/misbehave/domain/switch-table.ts'
import { type MisbehavingProvider, startMisbehavingProvider } from '../../../src/demo/misbehave/server.ts'
import { checkDueConnections } from '../../../src/onboarding/connections/flows/check-health.ts'
import { resumeTasks } from '../../../src/onboarding/connections/flows/work-on-task.ts'
import { examineIntegration } from '../../../src/onboarding/doctor/flows/examine-integration.ts'
import type { DoctorFinding } from '../../../src/onboarding/domain/doctor/finding.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let provider: MisbehavingProvider
let instance: Instance
let sound: Switches
let world: OnboardingWorld

beforeAll(async () => {
  provider = await startMisbehavingProvider({ host: '127.0.0.1', port: 0 })
  instance = provider.instance('chosen')
  sound = { ...instance.switches }
  world = await startOnboarding({
    egressAllow: [`127.0.0.1:${provider.port}`],
    integration: {
      ...integrationEntry(instance, 'provider'),
      scopes: [{ name: 'openid' }, { name: 'files.write' }, { name: 'files.read' }],
      rotation: 'none',
      health: { by: 'refresh' },
    },
    env: { PLATFORM_REFRESHES: 'false' },
  })
})
afterAll(async () => {
  await world?.close()
  await provider?.close()
})

type Fault = Partial<Switches>
type Found = Partial<Pick<DoctorFinding, 'check' | 'cause'>>

test.each<[string, Fault, Found]>([
  ['rejects PKCE', { pkce: 'refused' }, { check: 'authorization_endpoint', cause: 'request_rejected' }],
  [
    'joins scopes by comma',
    { scope_separator: 'comma' },
    { check: 'authorization_endpoint', cause: 'request_rejected' },
  ],
  [
    'awaits its administrator',
    { errors: 'microsoft', admin_approval: 'needed' },
    { check: 'authorization_endpoint', cause: 'admin_approval_needed' },
  ],
  ['takes the client in the header', { client_authentication: 'basic' }, { check: 'token_endpoint' }],
  [
    'has let the secret expire',
    { errors: 'microsoft', client_secret: 'expired' },
    { check: 'token_endpoint', cause: 'client_secret_expired' },
  ],
  [
    'was deleted, with status 200',
    { errors: 'github', app: 'deleted' },
    { check: 'token_endpoint', cause: 'client_rejected' },
  ],
  ['has forgotten the client', { clients: 'forgotten' }, { check: 'token_endpoint', cause: 'client_rejected' }],
  ['names the client ID otherwise', { client_id_parameter: 'app_id' }, { check: 'token_endpoint' }],
  [
    'rejects the redirect URI in JSON',
    { redirect_uri: 'rejected', redirect_uri_error: 'json' },
    { check: 'authorization_endpoint', cause: 'redirect_uri_rejected' },
  ],
  ['is suspended', { errors: 'google', app: 'suspended' }, { check: 'token_endpoint', cause: 'app_suspended' }],
  [
    'takes scopes from its registration',
    { scopes: 'on_app' },
    { check: 'authorization_endpoint', cause: 'request_rejected' },
  ],
  ['is behind by fifteen minutes', { clock_skew: 900 }, { check: 'clock', cause: 'clock_wrong' }],
])('before a link, finds an app that %s', async (_, fault, found) => {
  Object.assign(instance.switches, sound, fault)

  expect(await wrongFindings(true)).toContainEqual(expect.objectContaining(found))
})

test.each<[string, Fault, Found]>([
  ['wants JSON', { token_request: 'json' }, { check: 'latest_link', cause: 'request_rejected' }],
  ['refreshes at another address', { refresh_at: 'elsewhere' }, { check: 'latest_use', cause: 'profile_mismatch' }],
  ['wants scopes in each refresh', { refresh_scope: 'needed' }, { check: 'latest_use', cause: 'profile_mismatch' }],
  ['grants less than is requested', { consent: 'partial' }, { check: 'latest_link', cause: 'scope_missing' }],
  ['keeps one grant of an account', { grant_limit: 1 }, { check: 'same_account', cause: 'grant_revoked' }],
  ['ends idle grants', { refresh_idle: 14 * 86_400 }, { check: 'grant_age', cause: 'grant_revoked' }],
  ['revokes in another form', { revocation: 'bearer' }, { check: 'latest_revocation' }],
  ['issues no refresh tokens', { refresh_token: 'never' }, { check: 'latest_link', cause: 'no_refresh_token' }],
  ['never sends users back', { consent: 'never_returns' }, { check: 'returns', cause: 'callback_missing' }],
  ['names the code otherwise', { code_parameter: 'auth_code' }, { check: 'returns', cause: 'callback_missing' }],
  ['signs as another issuer', { id_token: 'other_issuer' }, { check: 'latest_link', cause: 'identity_invalid' }],
  ['wants a header', { token_header: 'x-version' }, { check: 'latest_link', cause: 'request_rejected' }],
  ['is in testing mode', { grant_max_age: 7 * 86_400 }, { check: 'grant_age', cause: 'app_unverified' }],
])('after links, finds an app that %s', async (_, fault, found) => {
  await startAnew()
  Object.assign(instance.switches, sound)
  await link('ada')
  await check()
  expect(await wrongFindings(false)).toEqual([])

  Object.assign(instance.switches, fault)
  for (const account of fault.grant_limit ? Array(5).fill('bob') : ['bob', 'cy', 'di', 'ed', 'flo']) await link(account)
  const endsAfterDays = fault.refresh_idle ? 14 : fault.grant_max_age ? 7 : undefined
  if (endsAfterDays) await pass((endsAfterDays + 1) * 86_400)
  await check()
  if (endsAfterDays) await spreadDeaths(endsAfterDays)
  if (fault.revocation) await disconnectOne()
  await expireSessions()

  expect(await wrongFindings(false)).toContainEqual(expect.objectContaining(found))
})

async function wrongFindings(network: boolean): Promise<DoctorFinding[]> {
  const rates = { ...world.ports.rates, take: async () => undefined }
  const { findings } = await examineIntegration({ ...world.ports, rates }, { integration: 'provider', network })
  return findings.filter(({ verdict }) => verdict === 'wrong')
}

async function link(account: string) {
  instance.switches.account = account
  const minted = await world.mint()
  const visit = await world.consent(minted).catch(() => undefined)
  if (!visit?.query.completion_code) return
  const { body } = await world.complete(minted, visit.query)
  const { continueUrl } = await untilAnswered(body.id)
  if (!continueUrl) return
  const again = await visit.browser.follow(await visit.browser.get(continueUrl), 'https://acme.example')
  await world.completeToTheEnd(minted, Object.fromEntries(new URL(again.url).searchParams))
}

/** The link has ended, or needs a second consent. */
const untilAnswered = (id: string) =>
  waitFor('the link is answered', async () => {
    const { body: link } = await world.api('GET', `/links/${id}`)
    return (link.status !== 'pending' || link.continueUrl) && link
  })

/** As if the users had closed the page of the app long ago. */
const expireSessions = () =>
  world.sql.query(
    "update links set state = 'abandoned', cause = 'session_expired', due_at = null where state = 'authorizing'",
  )

async function check() {
  await world.sql.query('update connections set health_due_at = now()')
  while ((await checkDueConnections(world.ports, world.settings)) > 0);
}

const pass = (seconds: number) =>
  fetch(`${instance.url}/control/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds: seconds }),
  })

/** As if the accounts had been linked three days apart. */
const spreadDeaths = (days: number) =>
  world.sql.query(
    `update connections set created_at = now() - make_interval(days => $1 + 3 * nth, hours => 3),
       status_since = now() - make_interval(days => 3 * nth)
     from (select id as dead, row_number() over (order by id)::int as nth from connections where status = 'needs_relink') as dead
     where id = dead`,
    [days],
  )

async function disconnectOne() {
  const { rows } = await world.sql.query("select id from connections where status = 'active' order by id desc limit 1")
  await world.api('POST', `/connections/${rows[0].id}/disconnect`, { reason: 'for the test' })
  for (let attempt = 0; attempt < 30; attempt++) {
    await world.sql.query('update connection_tasks set due_at = now() where due_at is not null')
    await resumeTasks(world.ports, world.settings)
  }
}

/** The doctor judges the newest events, so those of the fault before must not count. */
const startAnew = () =>
  world.sql.query(`
    update connections set status = 'disconnected', cause = null;
    delete from connection_tasks;
    delete from health_checks;
    update links set updated_at = now() - interval '40 days'`)
