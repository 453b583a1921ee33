// Faults that the doctor only sees once users link accounts, at the misbehaving provider.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstClient, type Instance } from '../../../src/demo/misbehave/domain/instance.ts'
import { integrationEntry } from '../../../src/demo/misbehave/domain/integration-entry.ts'
import { type MisbehavingProvider, startMisbehavingProvider } from '../../../src/demo/misbehave/server.ts'
import { checkDueConnections } from '../../../src/onboarding/connections/flows/check-health.ts'
import { examineIntegration } from '../../../src/onboarding/doctor/flows/examine-integration.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let provider: MisbehavingProvider
let instance: Instance
let world: OnboardingWorld

beforeAll(async () => {
  provider = await startMisbehavingProvider({ host: '127.0.0.1', port: 0 })
  instance = provider.instance('faults;rotation=single_use')
  world = await startOnboarding({
    egressAllow: [`127.0.0.1:${provider.port}`],
    integration: { ...integrationEntry(instance, 'provider'), health: { by: 'refresh' } },
    env: { PLATFORM_REFRESHES: 'false' },
  })
})
afterAll(async () => {
  await world?.close()
  await provider?.close()
})

async function link(account: string) {
  instance.switches.account = account
  const minted = await world.mint()
  return world.completeToTheEnd(minted, (await world.consent(minted)).query)
}

const finding = async (check: string) =>
  (await examineIntegration(world.ports, { integration: 'provider', network: false })).findings.find(
    (each) => each.check === check,
  )

test('a link that fails due to clock skew is the operator’s to fix', async () => {
  instance.switches.clock_skew = 7_200
  const skewed = await link('skewed')
  instance.switches.clock_skew = 0
  instance.switches.id_token = 'expired'
  const expired = await link('expired')
  instance.switches.id_token = 'sound'

  expect(skewed).toMatchObject({ status: 'failed', cause: { code: 'clock_wrong', whoseMove: 'operator' } })
  expect(expired).toMatchObject({ status: 'failed', cause: { code: 'identity_invalid' } })
})

test('a response without an ID token does not confirm the account', async () => {
  instance.switches.id_token = 'missing'
  const linked = await link('nameless')
  instance.switches.id_token = 'sound'

  expect(linked).toMatchObject({ status: 'failed', cause: { code: 'identity_invalid' } })
  expect(await finding('latest_link')).toMatchObject({ verdict: 'wrong', remedy: { whoseMove: 'operator' } })
})

test('counts links that never returned', async () => {
  for (const nth of [1, 2, 3, 4]) {
    const minted = await world.mint()
    await world.consent(minted).catch(() => undefined)
    await world.sql.query(
      `update links set state = 'abandoned', cause = 'session_expired', due_at = null
       where id = (select id from links order by id desc limit 1) and $1 > 0`,
      [nth],
    )
  }

  expect(await finding('returns')).toMatchObject({ evidence: expect.stringMatching(/^4 of 7 users did not come back/) })
})

test('reports reuse of refresh tokens, which ended the grants', async () => {
  await link('ada')
  await link('bob')
  await check()
  for (const grant of instance.grants) await useAgain(grant.refreshTokens[0]?.token ?? '')
  await check()

  expect(instance.grants.filter(({ endedBy }) => endedBy === 'reuse').length).toBeGreaterThanOrEqual(2)
  expect(await finding('token_reuse')).toMatchObject({
    verdict: 'wrong',
    remedy: { whoseMove: 'operator', advice: expect.stringContaining('no other program uses these tokens') },
  })
})

async function check() {
  await world.sql.query('update connections set health_due_at = now()')
  while ((await checkDueConnections(world.ports, world.settings)) > 0);
}

/** Another holder of the token sends one that a refresh has replaced. */
const useAgain = (token: string) =>
  fetch(`${instance.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: firstClient.id,
      client_secret: firstClient.secret,
    }),
  })
