// A vendor's server asks the user something in the middle of a call: the client that declares it asks, at any process.
import { Client, type ClientOptions, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tool } from '../../support/doubles/vendor-mcp/vendor-server.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type VendorWorld, vendorWorld } from '../../support/worlds/vendor-world.ts'

const asking = ['form', 'form_meanwhile', 'page', 'page_first', 'page_always', 'script', 'chatty'].map(tool)
const both = { capabilities: { elicitation: { form: {}, url: {} } } }
const accept = { action: 'accept' as const, content: { name: 'Ada' } }

type Result = { isError?: boolean; content: Array<{ text: string }> }

const textOf = (result: unknown): string => (result as Result).content[0]?.text ?? ''

type Asked = { mode?: string; message: string; url?: string }

/** Notes what the user is asked. */
function answering(client: Client, answer: object = accept): Asked[] {
  const asked: Asked[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params as Asked)
    return answer as typeof accept
  })
  return asked
}

describe.each(['modern', 'sessions'] as const)('a vendor of the age %s', (age) => {
  let world: VendorWorld
  let twin: Awaited<ReturnType<VendorWorld['twin']>>
  const clients: Client[] = []

  beforeAll(async () => {
    world = await vendorWorld({ age, toolChanges: 'allow' })
    world.vendor.state.tools = asking
    twin = await world.twin()
  })
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()))
    await world.close()
  })

  /** Sends each second message to another process. */
  async function alternating(mode: 'auto' | 'legacy', options: ClientOptions) {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
    let sent = 0
    const elsewhere = (address: string | URL, init?: RequestInit) =>
      fetch(init?.method === 'POST' && sent++ % 2 === 1 ? twin.url : address, init)
    const requestInit = { headers: { 'X-Service-Authorization': `Bearer ${world.platform.admin.key}` } }
    clients.push(client)
    await client.connect(new StreamableHTTPClientTransport(new URL(world.url), { requestInit, fetch: elsewhere }))
    return client
  }

  describe.each(['auto', 'legacy'] as const)('and a client (%s)', (mode) => {
    test('its form is filled in, and the same call is answered', async () => {
      const client = await world.connect(mode, both)
      const asked = answering(client)

      const result = await client.callTool({ name: 'form', arguments: {} })

      expect(asked).toEqual([expect.objectContaining({ message: 'Who are you?' })])
      expect(textOf(result)).toBe(JSON.stringify(accept))
    })

    test('its page is opened, and the same call is answered', async () => {
      const client = await world.connect(mode, both)
      const asked = answering(client, { action: 'accept' })

      const result = await client.callTool({ name: 'page', arguments: {} })

      expect(asked).toEqual([expect.objectContaining({ mode: 'url', url: 'https://vendor.example/sign' })])
      expect(textOf(result)).toContain('accept')
    })

    test('the vendor learns that the user declined', async () => {
      const client = await world.connect(mode, both)
      answering(client, { action: 'decline' })

      const result = await client.callTool({ name: 'form', arguments: {} })

      expect(textOf(result)).toContain('decline')
    })

    test('the messages of a call may reach different processes', async () => {
      const client = await alternating(mode, both)
      const asked = answering(client)

      const results = [
        await client.callTool({ name: 'form', arguments: { at: 1 } }),
        await client.callTool({ name: 'form', arguments: { at: 2 } }),
      ]

      expect(results.map(textOf)).toEqual([JSON.stringify(accept), JSON.stringify(accept)])
      expect(asked).toHaveLength(2)
    })

    test('the form is refused with a reason if the client declares only pages', async () => {
      const client = await world.connect(mode, { capabilities: { elicitation: { url: {} } } })
      const asked = answering(client)

      const result = (await client.callTool({ name: 'form', arguments: {} })) as Result

      expect([result.isError, asked]).toEqual([true, []])
      expect(textOf(result)).toMatch(/elicitation|form/i)
    })

    test('a call of a client that declares nothing is refused with a reason', async () => {
      const client = await world.connect(mode)

      const result = (await client.callTool({ name: 'form', arguments: {} })) as Result

      expect(result.isError).toBe(true)
      expect(textOf(result)).toMatch(/elicitation|form/i)
    })

    test('a script is not passed on as a page', async () => {
      const client = await world.connect(mode, both)
      const asked = answering(client)

      const result = await client.callTool({ name: 'script', arguments: {} }).catch((error: Error) => error)

      expect(asked).toEqual([])
      expect(result).toSatisfy((refused) => refused instanceof Error || (refused as Result).isError === true)
    })
  })

  test('a prompt that asks its user is refused with the reason', async () => {
    const client = await world.connect('auto', both)
    const asked = answering(client)

    const name = age === 'modern' ? 'asking' : 'page_first'
    const refused = await client.getPrompt({ name }).catch((error: Error) => error.message)

    const reason = age === 'modern' ? /do not declare the required capability/ : /passed on for tools only/
    expect([refused, asked]).toEqual([expect.stringMatching(reason), []])
  })

  test('a client that declares elicitation gets the log of its session', async () => {
    const client = await world.connect('legacy', both)
    const heard: unknown[] = []
    client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params.data))
    await client.setLoggingLevel('info')

    await client.callTool({ name: 'chatty', arguments: {} })

    await waitFor('the log has come', () => heard.length > 0)
    expect(heard).toEqual(['the vendor says hello'])
  })

  test('a request state of a vendor is only for its caller, tool and arguments, and for one use', async () => {
    const client = await world.connect('auto', { ...both, inputRequired: { autoFulfill: false } })
    const options = { allowInputRequired: true } as const
    const call = { name: 'form', arguments: { at: 1 } }
    const { requestState } = (await client.callTool(call, options)) as unknown as { requestState: string }
    const repeat = (changed: object) =>
      client
        .callTool(
          { ...call, ...changed, requestState, inputResponses: { name: accept, input: accept } } as never,
          options,
        )
        .then(textOf, (error: ProtocolError) => error.code)

    const others = [await repeat({ arguments: { at: 2 } }), await repeat({ name: 'page' })]
    const answers = await Promise.all([repeat({}), repeat({}), repeat({})])

    expect(others).toEqual([-32_602, -32_602])
    expect(answers.filter((answer) => answer === JSON.stringify(accept))).toHaveLength(1)
    expect(answers.filter((answer) => answer === -32_602)).toHaveLength(2)
    expect(requestState).not.toContain('of-the-vendor')
  })
})

describe('a vendor that asks while its call runs', () => {
  let world: VendorWorld

  beforeAll(async () => {
    world = await vendorWorld({ age: 'sessions', toolChanges: 'allow' })
    world.vendor.state.tools = asking
  })
  afterAll(() => world.close())

  test.each(['auto', 'legacy'] as const)('gets two answers in one call (%s)', async (mode) => {
    const client = await world.connect(mode, both)
    const asked = answering(client)
    const before = world.vendor.state.asked.length

    const result = await client.callTool({ name: 'form_meanwhile', arguments: {} })

    expect(asked.map(({ message }) => message)).toEqual(['Who are you?', 'Again?'])
    expect(textOf(result)).toBe(JSON.stringify([accept, accept]))
    expect(world.vendor.state.asked.length - before).toBe(1)
  })

  test('2025-11-25: tells the client when its page has served its purpose, and about no other page', async () => {
    const client = await world.connect('legacy', both)
    const done: string[] = []
    const listen = ({ params }: { params: { elicitationId: string } }) => void done.push(params.elicitationId)
    client.setNotificationHandler('notifications/elicitation/complete', listen)

    const refused = await client.callTool({ name: 'page_always', arguments: {} }).catch((error: unknown) => error)
    for (const id of ['of-nobody', 'sign-2']) await world.vendor.state.completePage(id)
    await waitFor('the client is told', () => done.length > 0)

    expect(refused).toMatchObject({ code: -32_042, data: { elicitations: [{ elicitationId: 'sign-2' }] } })
    expect(done).toEqual(['sign-2'])
  })

  test('2025-11-25: error -32042 with the pages, as the vendor sent them', async () => {
    const client = await world.connect('legacy', both)

    const refused = await client.callTool({ name: 'page_first', arguments: {} }).catch((error: unknown) => error)
    const again = await client.callTool({ name: 'page_first', arguments: {} })

    expect(refused).toBeInstanceOf(ProtocolError)
    expect(refused).toMatchObject({
      code: -32_042,
      data: { elicitations: [{ elicitationId: 'sign-1', url: 'https://vendor.example/sign' }] },
    })
    expect(textOf(again)).toBe('signed')
  })

  test('2026-07-28: the same call is answered after the page', async () => {
    const client = await world.connect('auto', both)
    const asked = answering(client, { action: 'accept' })

    const result = await client.callTool({ name: 'page_first', arguments: {} })

    expect(asked).toEqual([expect.objectContaining({ url: 'https://vendor.example/sign' })])
    expect(textOf(result)).toBe('signed')
  })

  test('is told which of several calls is not clear', async () => {
    const client = await world.connect('legacy', both)
    answering(client)

    const results = await Promise.all(
      [1, 2].map((at) => client.callTool({ name: 'form_meanwhile', arguments: { at } })),
    )

    for (const result of results) expect(textOf(result)).toMatch(/not clear|Ada/)
  })

  test('a response that nobody waits for is not stored', async () => {
    const client = await world.connect('legacy', both)
    const session = (client.transport as StreamableHTTPClientTransport).sessionId ?? ''

    const answer = await world.post(
      world.url,
      { jsonrpc: '2.0', id: 'made-up', result: accept },
      { 'mcp-session-id': session },
    )

    expect(answer.status).toBe(202)
    const { rows } = await world.platform.pool.query('select * from awaited_inputs where key like $1', [`${session}%`])
    expect(rows).toEqual([])
  })
})
