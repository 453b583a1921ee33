// Processes behind the proxy samples are replaced one after another while users link accounts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { untilCallback } from '../support/http/patient-user.ts'
import { atPace } from '../support/oracles/at-pace.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'
import { type ProxyName, startProxy } from '../support/processes/proxies.ts'

describe.each(['HAProxy', 'nginx'] as const satisfies ProxyName[])('behind %s', (name) => {
  let fleet: Fleet
  let proxy: Awaited<ReturnType<typeof startProxy>>

  beforeAll(async () => {
    fleet = await startFleet({ env: { DRAIN_SECONDS: '5', VERIFY_FUNCTIONS: 'false' } })
    await Promise.all([fleet.start(), fleet.start(), fleet.start()])
    await fleet.putTenant('acme')
    proxy = await startProxy(
      name,
      fleet.processes.map(({ port }) => port),
    )
    fleet.front.toward(proxy.port)
  }, 120_000)
  afterAll(async () => {
    await proxy?.stop()
    await fleet.close()
  })

  /** Each request is sent once. Lists the responses that did not come from the program. */
  async function linkOnce(): Promise<string[]> {
    const failed: string[] = []
    const sent = async <T extends { status: number; headers: Headers }>(step: string, answer: Promise<T>) => {
      const given = await answer.catch((error) => void failed.push(`${step}: ${error}`))
      if (given && !given.headers.has('x-request-id')) failed.push(`${step}: ${given.status}`)
      return given
    }
    const browser = new HttpBrowser()
    const session = await sent('mint', fleet.tryMint())
    if (!session?.body.url) return failed
    const started = await sent('start', browser.post(session.minted.url))
    if (started?.status !== 200) return failed
    const callback = await untilCallback(fleet, session.minted, browser, started)
    const back = await sent('callback', browser.get(callback))
    const code = new URL(back?.headers.get('location') ?? '/', fleet.url).searchParams.get('completion_code')
    if (code) await sent('complete', fleet.complete(session.minted, code))
    return failed
  }

  test('three processes stopped one after another fail no request', async () => {
    let [going, sent, done] = [true, 0, 0]
    // A slow machine skips users.
    const visit = async () => {
      if (sent - done >= 20) return []
      sent++
      return linkOnce().finally(() => done++)
    }
    const users = atPace({ perSecond: 20, goesOn: () => going }, visit)
    await waitFor('users link accounts', () => done >= 20, { withinMs: 60_000 })

    for (const old of fleet.processes.slice(0, 3)) {
      const { port } = old
      await old.stop()
      const started = await fleet.launch({ PORT: String(port) })
      await started.ready
      const since = done
      await waitFor('users link accounts', () => done >= since + 20, { withinMs: 60_000 })
    }
    going = false

    expect((await users).flat()).toEqual([])
    const { rows } = await fleet.sql.query(`select count(*)::int as linked from links where state = 'linked'`)
    expect(rows[0].linked).toBeGreaterThan(60)
  }, 300_000)

  test('its logs contain no code, state or connect token', async () => {
    const logged = proxy.logs()

    expect(logged).toContain('/oauth/callback/')
    expect(logged).toContain('/connect/-')
    expect(logged).not.toMatch(/code=|state=|\/connect\/[\w-]{2}/)
  })
})
