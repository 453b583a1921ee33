// Re-links while the function is in use, on the real platform.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { type HttpServer, listen } from '../../src/kit/http/http-server.ts'
import { startProvider } from '../support/doubles/provider/provider.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'
import { type RelinkWorld, startRelinking, ways } from '../support/worlds/relink-world.ts'

const callers = 3
/** Pause between calls, as a multiple of a call's duration: without it, callers would leave re-links no CPU time. */
const restsFor = 5

describe.each([
  { ...ways[0], relinks: 100 },
  { ...ways[1], relinks: 10 },
])('with $way', ({ put = true, relinks }) => {
  let platform: Awaited<ReturnType<typeof platformWorld>>
  let server: HttpServer
  let world: RelinkWorld

  beforeAll(async () => {
    const provider = await startProvider()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    platform = await platformWorld({
      env: { PUBLIC_URL: url, RATE_KEY_PER_MINUTE: '1000000' },
      integrations: [toolsAt(provider.url)],
    })
    server = await listen(platform.app, { host: '127.0.0.1', port })
    world = await startRelinking({
      put,
      provider,
      env: { PLATFORM_URL: `${url}/v0`, PLATFORM_API_KEY: platform.admin.key },
    })
  })
  afterAll(async () => {
    await world.close()
    await server.close(0)
    await platform.close()
  })

  test(`no tool call fails during ${relinks} re-links, although each old grant is revoked immediately`, async () => {
    const id = await world.link()
    const { functionUrl } = await world.connection(id)
    const load = { over: false, calls: 0, failures: [] as string[] }
    const calling = Array.from({ length: callers }, () => callUntilOver(load, `${functionUrl}/mcp`, platform.admin.key))

    try {
      for (let count = 0; count < relinks; count++) {
        const { link } = await world.relink(id)
        await waitFor(
          'linked again',
          async () => (await world.api('GET', `/links/${link.id}`)).body.status === 'linked',
        )
      }
    } finally {
      load.over = true
      await Promise.all(calling)
    }

    expect(load.failures).toEqual([])
    expect(load.calls).toBeGreaterThan(relinks)
    expect(world.provider.seen.revocations).toHaveLength(relinks)
  }, 1_800_000)
})

async function callUntilOver(load: { over: boolean; calls: number; failures: string[] }, url: string, key: string) {
  while (!load.over) {
    const since = performance.now()
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'X-Service-Authorization': `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_files', arguments: {} },
      }),
    })
    const text = await answer.text()
    load.calls++
    await pause(restsFor * (performance.now() - since))
    if (answer.status !== 200 || !text.includes('plan.txt'))
      load.failures.push(`${answer.status} ${text.slice(0, 300)}`)
  }
}

const toolsAt = (url: string) => ({
  id: 'provider',
  displayName: 'Provider',
  endpoints: { authorization: `${url}/authorize`, token: `${url}/token` },
  account: { from: 'none' },
  scopes: [{ name: 'files' }],
  apiHosts: [new URL(url).host],
  tools: [
    {
      name: 'list_files',
      description: 'Lists files.',
      inputSchema: { type: 'object', properties: {} },
      request: { method: 'GET', url: `${url}/api/files` },
    },
  ],
})
