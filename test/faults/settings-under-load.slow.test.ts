// Settings are changed by API while users link accounts, and processes of both programs are killed meanwhile.
// `TEST_TIMES=on` prints how long the programs took to agree, and how many links a second there were.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { untilCallback } from '../support/http/patient-user.ts'
import { atPace } from '../support/oracles/at-pace.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { createKey, type Fleet, startFleet } from '../support/processes/onboarding-process.ts'
import { startPlatformProcess } from '../support/processes/platform-process.ts'
import { apiClient, providerEntry } from '../support/worlds/onboarding-world.ts'
import { type PlatformWorld, platformWorld } from '../support/worlds/platform-world.ts'

let fleet: Fleet
let world: PlatformWorld
let platform: Awaited<ReturnType<typeof startPlatformProcess>>
let operator: ReturnType<typeof apiClient>
/** Few, because other tests run beside this one. `LINKS_PER_SECOND=50` on a machine at rest. */
const perSecond = Number(process.env.LINKS_PER_SECOND ?? 8)
const settingsKey = randomBytes(32).toString('base64url')

beforeAll(async () => {
  fleet = await startFleet({ env: { SETTINGS_KEY: settingsKey, VERIFY_FUNCTIONS: 'false' } })
  await Promise.all([fleet.start(), fleet.start()])
  await fleet.putTenant('acme')
  operator = apiClient(fleet.url, await createKey(fleet.env, 'settings'))
  world = await platformWorld()
  platform = await startPlatform()
  fleet.provider.clients.set('client-2', 'secret-2')
}, 120_000)
afterAll(async () => {
  await platform?.kill()
  await world?.close()
  await fleet?.close()
})

const startPlatform = () => startPlatformProcess(world, { SETTINGS_URL: fleet.url, SETTINGS_KEY: settingsKey })

const running = () => fleet.processes.filter((each) => each.running())

/** The name that each process of either program has for the integration. */
async function names(): Promise<Array<string | undefined>> {
  const ofProcess = async ({ url }: { url: string }) => {
    const { body } = await apiClient(url, fleet.key)('GET', '/integrations?limit=200&available=true')
    return body.data.find((each: { id: string }) => each.id === 'provider')?.displayName
  }
  return Promise.all([...running().map(ofProcess), nameOnPlatform()])
}

async function nameOnPlatform(): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${world.admin.key}`, 'x-service-workspace': 'acme' }
  const answer = await fetch(`${platform.url}/v0/integrations/provider`, { headers })
  return ((await answer.json()) as { displayName?: string }).displayName
}

const agreedMs: number[] = []

async function agree(name: string) {
  const startedAt = performance.now()
  await waitFor(`all processes call it ${name}`, async () => (await names()).every((each) => each === name), {
    withinMs: 30_000,
  })
  agreedMs.push(performance.now() - startedAt)
}

const entry = (more: object = {}) => ({ ...providerEntry(fleet.provider), ...more })

const put = (settings: object, more: object = {}) =>
  operator('PUT', '/integrations/provider/settings', { settings, breakConnections: true, ...more })

const addresses = () => ({
  authorization: `${fleet.provider.url}/authorize`,
  token: `${fleet.provider.url}/token`,
  jwks: `${fleet.provider.url}/jwks`,
})

const changes: Array<[string, () => object]> = [
  ['description', () => ({ description: 'Other files.' })],
  ['color', () => ({ color: '#1F6FEB' })],
  ['scopes', () => ({ scopes: [...entry().scopes, { name: 'files.write', optional: true }] })],
  ['authorizationParameters', () => ({ authorizationParameters: { hint: 'work' } })],
  ['forceConsentParameters', () => ({ forceConsentParameters: { prompt: 'consent', again: 'true' } })],
  ['inputs', () => ({ inputs: { region: { label: 'Region', pattern: '[a-z]{2}', default: 'eu' } } })],
  ['client', () => ({ clientId: 'client-2', clientSecret: 'secret-2' })],
  ['the client again', () => ({})],
  ['endpoints', () => ({ endpoints: addresses() })],
  ['tokenRequest', () => ({ tokenRequest: { extra: { audience: 'files' } } })],
  ['refreshTokens', () => ({ refreshTokens: 'always' })],
  ['revocation', () => ({ revocation: { reach: 'grant' } })],
  ['apiHosts', () => ({ apiHosts: [fleet.provider.host] })],
  ['requestTool', () => ({ requestTool: false })],
  ['health', () => ({ health: { everySeconds: 7_200 } })],
  ['toolPolicy', () => ({ toolPolicy: { readOnly: true, perMinute: { '*': 60 } } })],
]

test('every setting is changed under load: no request fails, and all processes of both programs follow', async () => {
  const failed: string[] = []
  const counts = { sent: 0, done: 0, linked: 0 }
  let going = true
  const visit = async () => {
    if (counts.sent - counts.done >= 2 * perSecond) return
    counts.sent++
    await linkOnce(failed).then((linked) => {
      counts.done++
      if (linked) counts.linked++
    })
  }
  const users = atPace({ perSecond, goesOn: () => going }, visit)
  await waitFor('users link accounts', () => counts.done >= 20, { withinMs: 60_000 })
  const [startedAt, linkedBefore] = [performance.now(), counts.linked]

  for (const [at, [member, more]] of changes.entries()) {
    const name = `Provider ${at}`
    const saved = await put(entry({ displayName: name, ...more() }), { reason: member })
    expect(saved, member).toMatchObject({ status: 200 })
    await agree(name)
  }
  expect((await operator('DELETE', '/integrations/provider/settings?breakConnections=true')).status).toBe(204)
  await waitFor('the file applies', async () => {
    const [first, ...others] = (await names()).slice(0, -1)
    return first === 'Provider' && others.every((each) => each === first)
  })
  const { body } = await operator('GET', '/integrations/provider/settings/versions')
  const version = body.data.at(-1).version
  const restored = await operator('POST', '/integrations/provider/settings/rollback', {
    version,
    breakConnections: true,
  })
  expect(restored.body.restoredVersion).toBe(version)
  await agree('Provider 0')
  const perSecondMeasured = (counts.linked - linkedBefore) / ((performance.now() - startedAt) / 1_000)
  going = false
  await users
  if (process.env.TEST_TIMES) {
    const slowest = Math.max(...agreedMs) / 1_000
    console.info(`${perSecondMeasured.toFixed(0)} links/s, both programs agreed within ${slowest.toFixed(2)} s`)
  }

  expect(failed).toEqual([])
  expect(counts.linked).toBeGreaterThan(50)
}, 300_000)

/** Each request is sent once. */
async function linkOnce(failed: string[]): Promise<boolean> {
  const sent = async <T extends { status: number }>(step: string, answer: Promise<T>) => {
    const given = await answer.catch((error) => void failed.push(`${step}: ${error}`))
    if (given && given.status >= 400) failed.push(`${step}: ${given.status} ${JSON.stringify(given)}`)
    return given
  }
  const browser = new HttpBrowser()
  const session = await sent('mint', fleet.tryMint({ endUser: { id: randomBytes(6).toString('hex') } }))
  if (!session?.body.url) return false
  const started = await sent('start', browser.post(session.minted.url))
  if (started?.status !== 200) return false
  const callback = await untilCallback(fleet, session.minted, browser, started)
  const back = await sent('callback', browser.get(callback))
  const code = new URL(back?.headers.get('location') ?? '/', fleet.url).searchParams.get('completion_code')
  if (!code) return false
  const completed = await sent('complete', fleet.complete(session.minted, code))
  const link = completed && (await ended(completed.body))
  if (link?.status !== 'linked') failed.push(`link: ${JSON.stringify(link)}`)
  return link?.status === 'linked'
}

const ended = (link: { id: string; status: string }) =>
  link.status !== 'pending'
    ? link
    : waitFor(
        'the link has ended',
        async () => {
          const { body } = await fleet.api('GET', `/links/${link.id}`)
          return body.status !== 'pending' && body
        },
        { withinMs: 60_000 },
      )

test('a process killed during a change leaves it whole or undone', async () => {
  const key = await createKey(fleet.env, 'settings')
  const change = (at: number, url: string) => {
    const both = { displayName: `Killed ${at}`, description: `Killed ${at}` }
    const body = { settings: entry(both), breakConnections: true }
    return apiClient(url, key)('PUT', '/integrations/provider/settings', body).catch(() => undefined)
  }
  const begun = Date.now()
  await change(0, fleet.url)
  const usualMs = Date.now() - begun
  for (let at = 1; at <= 12; at++) {
    const [first] = running()
    if (!first) throw new Error('no process runs')
    const changing = change(at, first.url)
    await pause((at / 8) * usualMs)
    await first.kill()
    await changing
    await fleet.start()
  }

  const { rows: versions } = await fleet.sql.query('select version::int from setting_versions order by version')
  const { rows: noted } = await fleet.sql.query(
    `select (facts ->> 'version')::int as version from audit where action like 'integration.settings_%' order by 1`,
  )
  expect(noted).toEqual(versions)
  expect(versions.map(({ version }) => version)).toEqual(versions.map((_, at) => at + 1))
  const { body } = await operator('GET', '/integrations/provider/settings')
  expect(body.version).toBe(versions.length)
  expect(body.settings.description).toBe(body.settings.displayName)
  await agree(body.settings.displayName)
}, 300_000)

test('the platform starts with the settings it saw last while onboarding is away', async () => {
  const saved = await put(entry({ displayName: 'Seen last' }))
  expect(saved.status).toBe(200)
  await agree('Seen last')

  await Promise.all(running().map((each) => each.kill()))
  await platform.kill()
  platform = await startPlatform()

  expect(await nameOnPlatform()).toBe('Seen last')
}, 120_000)
