import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { effectivePolicy } from '../../../src/platform/gateway/domain/policy/effective-policy.ts'
import { policyFor, type ToolRule } from '../../../src/platform/gateway/domain/tool-policy.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type FunctionWorld, functionWorld } from '../../support/worlds/function-world.ts'

const at = { integration: 'gmail', workspace: 'acme', name: 'mail' }

describe('rules', () => {
  test.each<[what: string, rules: ToolRule[], offered: string[]]>([
    ['no rule', [], ['list', 'send']],
    ['a deny list', [{ deny: ['send'] }], ['list']],
    ['an allow list', [{ integration: 'gmail', allow: ['send'] }], ['send']],
    ['two allow lists', [{ allow: ['send', 'list'] }, { workspace: 'acme', allow: ['list'] }], ['list']],
    ['both lists', [{ allow: ['send', 'list'], deny: ['send'] }], ['list']],
    ['read-only', [{ workspace: 'acme', readOnly: true }], ['list']],
    [
      'rules about other callers or tools',
      [
        { integration: 'slack', deny: ['list'] },
        { workspace: 'other', readOnly: true },
      ],
      ['list', 'send'],
    ],
  ])('%s', (_what, rules, offered) => {
    const policy = policyFor(rules, at)

    expect(['list', 'send'].filter((tool) => policy.isOffered(tool, tool === 'list'))).toEqual(offered)
  })

  test('the lowest limit applies, and a name takes precedence over the star', () => {
    const policy = policyFor([{ perMinute: { '*': 60, send: 5 } }, { workspace: 'acme', perMinute: { '*': 30 } }], at)

    expect([policy.perMinute('send'), policy.perMinute('list')]).toEqual([5, 30])
    expect(policyFor([], at).perMinute('send')).toBeUndefined()
  })
})

describe('a function', () => {
  let world: FunctionWorld

  afterEach(() => world.close())

  async function open(rules: ToolRule[]) {
    const file = join(temporaryFolder(), 'policy.json')
    writeFileSync(file, JSON.stringify({ rules }))
    world = await functionWorld({ env: { TOOL_POLICY_FILE: file } })
    const url = await world.listen()
    // biome-ignore lint/suspicious/noExplicitAny: results and errors, compared by each test
    const ask = async (method: string, params: object = {}): Promise<any> =>
      (await world.post(url, { jsonrpc: '2.0', id: 1, method, params })).json()
    return {
      tools: async () => (await ask('tools/list')).result.tools.map(({ name }: { name: string }) => name),
      call: (name: string, args: object = {}) => ask('tools/call', { name, arguments: args }),
    }
  }
  const calls = async (query = '') => (await world.api.get(`/v0/functions/files/tool-calls${query}`).expect(200)).body

  test('shows and calls only offered tools', async () => {
    const { tools, call } = await open([{ integration: 'filebox', deny: ['write_file'] }])

    const refused = await call('write_file', { path: 'a', size: 1 })

    expect(await tools()).toEqual(['list_files', 'request'])
    expect(refused.error.message).toBe('Unknown tool: write_file.')
    expect(world.filebox.state.apiRequests).toEqual([])
  })

  test('that is read-only allows no writes with the request tool', async () => {
    const { tools, call } = await open([{ readOnly: true }])
    const address = `${world.filebox.url}/api/files/1`

    const read = await call('request', { url: address })
    const written = await call('request', { url: address, method: 'DELETE' })

    expect(await tools()).toEqual(['list_files', 'request'])
    expect([read.result.isError, written.result._meta]).toEqual([false, { code: 'tool_not_offered' }])
    expect(world.filebox.state.apiRequests.map(({ method }) => method)).toEqual(['GET'])
  })

  test('records caller, tool and outcome of every call, but no arguments or results', async () => {
    const { call } = await open([{ perMinute: { list_files: 1 } }])
    await call('list_files', { query: 'CANARY-question' })
    await call('list_files', { query: 'CANARY-question' })
    await call('write_file', { path: 7 })
    await call('CANARY-no-tool')

    const { data } = await waitFor('they are on record', async () => {
      const page = await calls()
      return page.data.length === 3 && page
    })
    const first = await calls('?limit=1')
    const rest = await calls(`?limit=2&cursor=${first.meta.nextCursor}`)

    expect(data.map(({ tool, outcome, code }: Record<string, string>) => [tool, outcome, code])).toEqual([
      ['write_file', 'failed', 'arguments_invalid'],
      ['list_files', 'refused', 'rate_limited'],
      ['list_files', 'succeeded', undefined],
    ])
    expect(data[0].caller).toMatchObject({ kind: 'user', name: 'admin@acme.example' })
    expect([...first.data, ...rest.data]).toEqual(data)
    expect(rest.meta).toEqual({ hasMore: false, nextCursor: '' })
    const { rows } = await world.platform.pool.query('select tool_calls::text as row from tool_calls')
    expect(JSON.stringify(rows)).not.toContain('CANARY')
  })

  test("omits the caller's own calls on request", async () => {
    const { call } = await open([])
    await call('list_files')
    await waitFor('it is on record', async () => (await calls()).data.length === 1)
    const another = await world.platform.enter('acme', 'second@acme.example')

    const ofOthers = await calls('?exceptOwn=true')
    const { body } = await world.platform.as(another).get('/v0/functions/files/tool-calls?exceptOwn=true')

    expect(ofOthers.data).toEqual([])
    expect(body.data).toMatchObject([{ tool: 'list_files', caller: { name: 'admin@acme.example' } }])
  })

  test('shows its record only to its workspace', async () => {
    const { call } = await open([])
    await call('list_files')
    await waitFor('it is on record', async () => (await calls()).data.length === 1)
    const other = await world.platform.enter('other', 'admin@other.example')

    const { body } = await world.platform.as(other).get('/v0/functions/files/tool-calls')

    expect(body.data).toEqual([])
  })
})

test('the effective policy is that of all levels, and names the levels whose rules count', () => {
  const effective = effectivePolicy([
    { level: 'file', accessTokens: true, deny: ['a'], perMinute: { '*': 60 } },
    { level: 'integration', allow: ['b', 'c'], readOnly: false },
    { level: 'tenant', allow: ['c', 'd'], accessTokens: false },
    { level: 'connection', readOnly: true, perMinute: { '*': 100, c: 5 } },
  ])

  expect(effective).toEqual({
    allow: ['c'],
    deny: ['a'],
    readOnly: true,
    relay: [],
    accessTokens: false,
    perMinute: { '*': 60, c: 5 },
    approval: [],
    decidedBy: {
      allow: ['integration', 'tenant'],
      deny: ['file'],
      readOnly: ['connection'],
      accessTokens: ['file', 'tenant'],
      perMinute: ['file', 'connection'],
    },
  })
})
