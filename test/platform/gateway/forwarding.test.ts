// A function with a vendor's MCP server, for all protocol versions of client and server.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { tool } from '../../support/doubles/vendor-mcp/vendor-server.ts'
import type { VendorAge } from '../../support/doubles/vendor-mcp.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type VendorWorld, vendorWorld } from '../../support/worlds/vendor-world.ts'

let world: VendorWorld

afterEach(() => world.close())

const text = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text

describe.each<[VendorAge, 'auto' | 'legacy']>([
  ['modern', 'auto'],
  ['modern', 'legacy'],
  ['sessions', 'auto'],
  ['sse', 'legacy'],
])('a server of the era "%s" for a client in the mode "%s"', (age, mode) => {
  test('works with the official client like the server itself', async () => {
    world = await vendorWorld({ age })
    const { state } = world.vendor
    const client = await world.connect(mode)
    const progress: unknown[] = []

    const { tools } = await client.listTools()
    const echoed = await client.callTool({ name: 'echo', arguments: { a: 1 } })
    const waiting = client.callTool({ name: 'wait' }, { onprogress: (each) => void progress.push(each) })
    await waitFor('progress arrives', async () => progress.length === 1)
    state.release()

    expect(tools.map(({ name }) => name)).toEqual(state.tools.map(({ name }) => name))
    expect(echoed.structuredContent).toEqual({ args: { a: 1 } })
    expect(text(await waiting)).toBe('waited')
    expect((await client.callTool({ name: 'picture' })).content).toHaveLength(4)
    expect(text(await client.callTool({ name: 'leak' }))).toBe('your token is [secret]')
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['first', 'second'])
    expect((await client.readResource({ uri: 'vendor://a' })).contents).toMatchObject([{ blob: 'AP8H' }])
    const ref = { type: 'ref/prompt' as const, name: 'first' }
    const { completion } = await client.complete({ ref, argument: { name: 'who', value: 'm' } })
    expect(completion.values).toEqual(['m-completed'])
    expect(client.getInstructions()).toBe('Be kind to the vendor.')
    // The refresh names its resource, and the caller's credential is not forwarded.
    expect(state.tokenRequests).toMatchObject([{ grant_type: 'refresh_token', resource: `${world.vendor.url}/mcp` }])
    expect(JSON.stringify(state.requests)).not.toContain(world.platform.admin.key)
  })
})

test('a call that its client cancels or abandons is cancelled at the vendor', async () => {
  world = await vendorWorld({ age: 'sessions' })
  const client = await world.connect('legacy')
  const leaving = new AbortController()

  const waiting = client.callTool({ name: 'wait' }, { signal: leaving.signal, onprogress: () => leaving.abort() })

  await expect(waiting).rejects.toThrow()
  await waitFor('the vendor has stopped', async () => world.vendor.state.cancelled === 1)
})

test("a client that sets a log level gets the vendor's log", async () => {
  world = await vendorWorld({ age: 'sessions' })
  const client = await world.connect('legacy')
  const entries: unknown[] = []
  client.setNotificationHandler('notifications/message', ({ params }) => void entries.push(params))

  await client.setLoggingLevel('info')
  await client.callTool({ name: 'chatty' })

  await waitFor('the entry arrives', async () => entries.length === 1)
  expect(entries).toMatchObject([{ level: 'info', data: 'the vendor says hello' }])
})

test('concurrent listings share one request to the vendor', async () => {
  world = await vendorWorld()
  await world.ask('tools/list')
  await world.platform.pool.query("update tool_lists set seen_at = seen_at - interval '1 minute'")
  const asked = () => world.vendor.state.requests.filter(({ body }) => body.includes('"tools/list"')).length
  const before = asked()
  // Longer than the list is cached.
  await new Promise((resolve) => setTimeout(resolve, 1_100))

  await Promise.all(Array.from({ length: 20 }, () => world.ask('tools/list')))

  // Each listing reads two pages; callers that arrive after a listing may cause another.
  expect(asked() - before).toBeLessThan(20)
})

describe('changed tools', () => {
  const change = () => {
    world.vendor.state.tools = [
      ...world.vendor.state.tools.map((each) =>
        each.name === 'echo' ? { ...each, description: 'Other words.' } : each,
      ),
      tool('brand_new'),
    ]
  }
  /** Longer than a list counts as fresh. */
  const age = () => world.platform.pool.query("update tool_lists set seen_at = seen_at - interval '1 minute'")
  const names = async () => (await world.ask('tools/list')).result.tools.map(({ name }: { name: string }) => name)
  const call = async (name: string) => (await world.ask('tools/call', { name, arguments: {} })).result
  const events = async () => {
    const { body } = await world.api.get('/v0/functions/vendor').expect(200)
    return body.events
      .filter(({ type }: { type: string }) => type === 'connection')
      .map(({ code }: { code: string }) => code)
  }

  test('are held until the reviewed change is approved', async () => {
    world = await vendorWorld()
    const before = await names()
    change()
    await age()

    const while_ = await world.ask('tools/list')
    const refused = await Promise.all(['echo', 'brand_new', 'wait_for_nothing'].map(call))
    const [held] = await world.toolLists()
    const approve = (hash: string) =>
      world.api.post('/v0/functions/vendor/tool-lists/approval').send({ integration: 'vendor', hash })
    const outdated = await approve('0'.repeat(64))
    await approve(held.pending.hash).expect(200)
    await waitFor('it is seen', async () => (await names()).includes('brand_new'))

    expect(while_.result.tools.map(({ name }: { name: string }) => name)).toEqual(before)
    expect(while_.result.tools[0].description).toBe("The vendor's echo.")
    expect(refused.slice(0, 2).map((result) => [text(result), result._meta.code])).toEqual([
      [
        'The tool echo of Vendor has changed and waits for approval. It can be called again once the change has been approved.',
        'tool_held',
      ],
      [
        'The tool brand_new of Vendor is new and waits for approval. It can be called once the change has been approved.',
        'tool_held',
      ],
    ])
    expect(refused[2]).toBeUndefined()
    expect(held.pending.change).toEqual({
      added: ['brand_new'],
      removed: [],
      changed: ['echo'],
      instructionsChanged: false,
    })
    expect([outdated.status, outdated.body.message]).toEqual([
      409,
      'The tools have changed again. Review the change before you approve it.',
    ])
    expect((await call('echo')).isError).toBeFalsy()
    expect(await events()).toEqual(['tools_held', 'tools_approved'])
    const [list] = await world.toolLists()
    expect(list).toMatchObject({ approved: { by: 'admin@acme.example' } })
    expect(list.pending).toBeUndefined()
  })

  test('that are reverted need no approval', async () => {
    world = await vendorWorld()
    await names()
    const { tools } = world.vendor.state
    change()
    await age()
    await names()
    world.vendor.state.tools = tools
    await age()

    await names()

    expect((await world.toolLists())[0].pending).toBeUndefined()
    await waitFor('it can be called', async () => !(await call('echo')).isError)
  })

  test('are shown immediately if the policy allows it, and reported', async () => {
    world = await vendorWorld({ toolChanges: 'allow' })
    await names()
    change()
    await age()

    expect(await names()).toContain('brand_new')
    expect(await events()).toEqual(['tools_changed'])
    expect((await world.toolLists())[0].approved.by).toBe('policy')
  })
})

describe('a grant', () => {
  const list = async () => (await world.ask('tools/list')).error
  const codes = async () =>
    (await world.api.get('/v0/functions/vendor')).body.events.flatMap(({ code }: { code?: string }) => code ?? [])

  test('with a rejected token is refreshed once, and a revoked one is reported until the account is linked again', async () => {
    world = await vendorWorld({ age: 'sessions' })
    const { state } = world.vendor
    await world.ask('tools/list')
    state.accessToken = 'ended early'

    const again = await world.ask('tools/call', { name: 'echo', arguments: {} })
    state.accessToken = 'ended'
    state.refreshToken = 'revoked'
    const revoked = await world.ask('tools/call', { name: 'echo', arguments: {} })
    const stillListed = await list()
    await world.relink('linked-again')
    const listed = await list()
    state.refreshToken = 'linked-again'
    await world.relink('linked-again')
    await waitFor('it works again', async () => (await list()) === undefined)

    expect(again.result.isError).toBeFalsy()
    expect(stillListed).toMatchObject({ data: { code: 'grant_revoked' } })
    expect(revoked.result._meta).toEqual({ code: 'grant_revoked' })
    expect(listed).toMatchObject({ code: -32_603, data: { code: 'grant_revoked' } })
    expect(listed.message).toContain('needs re-linking')
    expect(await codes()).toEqual(['grant_revoked', 'grant_revoked', 'grant_restored'])
  })

  test('that lacks a scope is reported with the scope', async () => {
    world = await vendorWorld()
    await world.ask('tools/list')
    world.vendor.state.fault = 'insufficient_scope'

    const { result } = await world.ask('tools/call', { name: 'echo', arguments: {} })

    expect(result._meta).toEqual({ code: 'insufficient_scope', scope: 'files:write' })
    expect(await codes()).toEqual(['insufficient_scope'])
  })

  describe('is recorded for the owner of the connection', () => {
    const problems = async (query = {}, api = world.api) =>
      (await api.get('/v0/grant-problems').query(query).expect(200)).body.data
    const call = () => world.ask('tools/call', { name: 'echo', arguments: {} })
    const lacking = {
      time: expect.any(String),
      workspace: 'acme',
      connection: 'linked',
      function: 'vendor',
      code: 'insufficient_scope',
      scope: 'files:write',
    }

    test('once, until the secrets are replaced', async () => {
      world = await vendorWorld()
      await world.ask('tools/list')
      world.vendor.state.fault = 'insufficient_scope'

      await Promise.all([call(), call(), call()])
      const noted = await problems()
      await call()
      const same = await problems()
      await world.relink('linked-again')
      const replaced = await problems()

      expect(noted).toEqual([lacking])
      expect([same, replaced]).toEqual([noted, []])
    })

    test('also if the vendor has forgotten our client', async () => {
      world = await vendorWorld()
      await world.ask('tools/list')
      Object.assign(world.vendor.state, { accessToken: 'ended', forgotClient: true })

      const { result } = await call()

      expect(result._meta).toEqual({ code: 'client_rejected' })
      expect(await problems()).toMatchObject([{ connection: 'linked', code: 'client_rejected' }])
    })

    test('in pages, by time and connection, only for members of the workspace', async () => {
      world = await vendorWorld()
      await world.ask('tools/list')
      world.vendor.state.fault = 'insufficient_scope'
      await call()
      world.vendor.state.fault = undefined
      Object.assign(world.vendor.state, { accessToken: 'ended', refreshToken: 'revoked' })
      await call()
      const stranger = world.platform.as(await world.platform.enter('other', 'stranger@other.example', 'other'))

      const page = async (more = {}) => (await world.api.get('/v0/grant-problems').query({ limit: 1, ...more })).body
      const first = await page()
      const second = await page({ cursor: first.meta.nextCursor })

      expect([first, second].map(({ data }) => data.map(({ code }: { code: string }) => code))).toEqual([
        ['insufficient_scope'],
        ['grant_revoked'],
      ])
      expect([first.meta.hasMore, second.meta]).toEqual([true, { hasMore: false, nextCursor: '' }])
      expect(await problems({ since: second.data[0].time })).toHaveLength(1)
      expect(await problems({ connection: 'another' })).toEqual([])
      expect(await problems({}, stranger)).toEqual([])
      await world.api.get('/v0/grant-problems').query({ cursor: 'made-up' }).expect(400)
    })
  })
})

test("the operator's policy and call record apply to vendors' tools", async () => {
  const file = join(temporaryFolder(), 'policy.json')
  const rules = [
    { integration: 'vendor', deny: ['picture'], perMinute: { echo: 1 } },
    { workspace: 'acme', readOnly: true },
  ]
  writeFileSync(file, JSON.stringify({ rules }))
  world = await vendorWorld({ env: { TOOL_POLICY_FILE: file } })
  const call = async (name: string) =>
    (await world.ask('tools/call', { name, arguments: { q: 'CANARY-question' } })).result

  const { result } = await world.ask('tools/list')
  const [first, second, writing] = [await call('echo'), await call('echo'), await call('refuse')]
  const { body } = await waitFor('they are on record', async () => {
    const page = await world.api.get('/v0/functions/vendor/tool-calls')
    return page.body.data.length === 2 && page
  })

  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['echo'])
  expect([first.isError ?? false, second._meta, writing]).toEqual([false, { code: 'rate_limited' }, undefined])
  expect(second.content[0].text).toMatch(
    /^Too many requests: at most 1 calls of this tool are taken within 60 seconds\. Try again in \d+ s\.$/,
  )
  expect(body.data.map(({ tool, outcome }: Record<string, string>) => [tool, outcome])).toEqual([
    ['echo', 'refused'],
    ['echo', 'succeeded'],
  ])
  expect(JSON.stringify(body)).not.toContain('CANARY')
})
