// O21: twenty connections at a provider that rejects refreshes without a reason, for a wrong secret as for a dead grant.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { firstClient, type Instance } from '../../../src/demo/misbehave/domain/instance.ts'
import { integrationEntry } from '../../../src/demo/misbehave/domain/integration-entry.ts'
import { type MisbehavingProvider, startMisbehavingProvider } from '../../../src/demo/misbehave/server.ts'
import { openRedis, type RedisClient } from '../../../src/kit/database/redis.ts'
import { checkDueConnections } from '../../../src/onboarding/connections/flows/check-health.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

const size = 20

let provider: MisbehavingProvider
let instance: Instance
let world: OnboardingWorld
let redis: RedisClient

beforeAll(async () => {
  provider = await startMisbehavingProvider({ host: '127.0.0.1', port: 0 })
  instance = provider.instance('bare;refresh_errors=bare')
  world = await startOnboarding({
    egressAllow: [`127.0.0.1:${provider.port}`],
    integration: { ...integrationEntry(instance, 'provider'), health: { by: 'refresh' }, rotation: 'none' },
    env: { PLATFORM_REFRESHES: 'false' },
  })
  redis = openRedis(world.redis.url)
  for (let nth = 0; nth < size; nth++) {
    instance.switches.account = `user-${nth}`
    const minted = await world.mint()
    const link = await world.completeToTheEnd(minted, (await world.consent(minted)).query)
    expect(link).toMatchObject({ status: 'linked' })
  }
})
afterAll(async () => {
  await redis?.quit()
  await world?.close()
  await provider?.close()
})

const setSecret = (secret: string) => instance.clients.set(firstClient.id, { ...firstClient, secret, redirectUris: [] })

beforeEach(async () => {
  setSecret(firstClient.secret)
  instance.requests.length = 0
  await redis.flushdb()
  await world.sql.query('update connections set health_due_at = now()')
  await check()
})

async function check() {
  while ((await checkDueConnections(world.ports, world.settings)) > 0);
}

/** Moves everything that the stores hold into the past, a minute at a time. */
async function pass(minutes: number) {
  for (let minute = 0; minute < minutes; minute++) {
    await world.sql.query(`update connections set health_due_at = health_due_at - interval '1 minute',
      checked_at = checked_at - interval '1 minute', unclear_since = unclear_since - interval '1 minute'`)
    await world.sql.query("update health_checks set at = at - interval '1 minute'")
    for (const key of await redis.keys('onboarding:*client-*')) await age(key)
    await check()
  }
}

async function age(key: string) {
  const seconds = (await redis.ttl(key)) - 60
  if (seconds <= 0) return redis.del(key)
  const value = (await redis.get(key)) ?? ''
  if (!value.startsWith('{')) return redis.expire(key, seconds)
  const verdict = JSON.parse(value)
  const at = new Date(Date.parse(verdict.at) - 60_000)
  return redis.set(key, JSON.stringify({ ...verdict, at }), 'EX', seconds)
}

async function counted(query: string): Promise<Record<string, number>> {
  const { rows } = await world.sql.query(`select value, count(*)::integer as count from (${query}) as each group by 1`)
  return Object.fromEntries(rows.map(({ value, count }) => [value, count]))
}
const statuses = () => counted('select status as value from connections')
const findings = () =>
  counted(`select distinct on (connection_id) concat_ws(' ', outcome, cause) as value from health_checks
    order by connection_id, id desc`)
const probes = () => instance.requests.filter(({ parameters }) => parameters.grant_type === 'authorization_code').length
const metric = async (name: string) => {
  const lines = (await world.world.metrics.text()).split('\n').filter((line) => line.startsWith(`causeway_${name}{`))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

test('a changed secret is the operator’s to fix, and all connections recover once it is corrected', async () => {
  const deaths = await metric('grant_death_age_seconds_count')
  setSecret('changed')
  await world.sql.query('update connections set health_due_at = now()')
  await pass(30)
  const found = { statuses: await statuses(), findings: await findings() }
  const asked = probes()
  const rejections = await metric('client_rejections_total')
  setSecret(firstClient.secret)
  await pass(6)

  expect(found).toEqual({ statuses: { active: size }, findings: { 'unclear client_rejected': size } })
  expect(asked).toBeLessThanOrEqual(3)
  expect(rejections).toBeGreaterThan(0)
  expect(await metric('grant_death_age_seconds_count')).toBe(deaths)
  expect(await findings()).toEqual({ healthy: size })
  expect(await counted("select event as value from outbox where event like 'connection.%'")).toEqual({})
})

test('revoked grants are the users’ to fix within 20 minutes if the secret is correct', async () => {
  for (const grant of instance.grants) grant.endedBy = 'user'
  await world.sql.query('update connections set health_due_at = now()')
  await pass(20)
  const found = await statuses()
  const asked = probes()
  for (const grant of instance.grants) delete grant.endedBy
  await pass(6)

  expect(found).toEqual({ needs_relink: size })
  expect(asked).toBeLessThanOrEqual(2)
  expect(await statuses()).toEqual({ active: size })
})
