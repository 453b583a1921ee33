// A client that opens URLs for its user: the call that needs an approval is answered after the decision, once.
import { createHmac, randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ProtocolError } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { approvalWorld, type Called, codeOf, urlOf } from '../../support/worlds/approval-world.ts'

afterAll(async () => {
  await world.closeClients()
  await twin.close()
  await world.close()
})

const world = await approvalWorld()
const { state } = world.filebox
const first = await world.endUser('user-1')
const second = await world.endUser('user-2')
const twin = await world.twin()
const twinUrl = await twin.listen()

let files = 0
const write = () => ({ name: 'write_file', arguments: { path: `file-${++files}`, size: 1 } })
type Call = ReturnType<typeof write>

const capabilities = { elicitation: { url: {} } }
const page = new RegExp(`^${world.origin}/oauth/approval/[A-Za-z0-9_-]{22}$`)
const call = async (client: Client, asked: object): Promise<Called> => (await client.callTool(asked as Call)) as Called

describe('a client of 2026-07-28', () => {
  async function client(answer: (url: string) => Promise<unknown>, action: 'accept' | 'decline' = 'accept') {
    const opened = await world.connect(first.token, { capabilities })
    opened.setRequestHandler('elicitation/create', async ({ params }) => {
      await answer('url' in params ? params.url : '')
      return { action }
    })
    return opened
  }

  test('gets the answer of the same call after the decision, which the provider sees once', async () => {
    const urls: string[] = []
    const opened = await client(async (url) => {
      urls.push(url)
      await world.decide(first.browser, url, 'once')
    })
    const before = state.accepted

    const answer = await call(opened, write())

    expect(urls).toEqual([expect.stringMatching(page)])
    expect([codeOf(answer), state.accepted - before]).toEqual(['answered', 1])
  })

  test('waits while its user decides, without asking again', async () => {
    const urls: string[] = []
    let decided: Promise<unknown> | undefined
    const opened = await client(async (url) => {
      urls.push(url)
      decided = pause(1_000).then(() => world.decide(first.browser, url, 'once'))
    })

    const answer = await call(opened, write())
    await decided

    expect([codeOf(answer), urls.length]).toEqual(['answered', 1])
  })

  test('is told that the call was declined, and that its user did not open the page', async () => {
    const declining = await client((url) => world.decide(first.browser, url, 'decline'))
    const absent = await client(async () => {}, 'decline')

    const codes = [codeOf(await call(declining, write())), codeOf(await call(absent, write()))]

    expect(codes).toEqual(['approval_declined', 'approval_required'])
  })

  test('is led to the repair if the grant is dead as well, and asked for one approval only', async () => {
    const pages: string[] = []
    const opened = await client(async (url) => {
      pages.push(new URL(url).pathname.split('/')[2] ?? '')
      if (url.includes('/oauth/approval/')) {
        await world.decide(first.browser, url, 'once')
        world.killGrant()
      } else await world.relink()
    })
    const before = state.accepted

    const answer = await call(opened, write())

    expect([codeOf(answer), pages, state.accepted - before]).toEqual(['answered', ['approval', 'repair'], 1])
  })
})

describe('the request state', () => {
  const options = { allowInputRequired: true } as const
  const byHand = { capabilities, inputRequired: { autoFulfill: false } }
  type Input = { requestState: string; inputRequests: { repair: { params: { url: string } } } }
  const manual = (token: string, url?: string) => world.connect(token, { ...byHand, ...(url && { url }) })
  const ask = async (client: Client, asked: Call) => (await client.callTool(asked, options)) as unknown as Input
  const allowed = async (client: Client, asked: Call) => {
    const { requestState, inputRequests } = await ask(client, asked)
    await world.decide(first.browser, inputRequests.repair.params.url, 'once')
    return requestState
  }
  const repeat = (client: Client, requestState: string, asked: object) =>
    client
      .callTool({ ...asked, requestState, inputResponses: { repair: { action: 'accept' } } } as never, options)
      .then(
        (result) => ('requestState' in result ? 'asked again' : codeOf(result as Called)),
        (error) => (error instanceof ProtocolError ? error.code : error),
      )
  const refused = -32_602

  test('T24: is used once, by twenty repeats at two processes', async () => {
    const [own, elsewhere] = [await manual(first.token), await manual(first.token, twinUrl)]
    const asked = write()
    const requestState = await allowed(own, asked)
    const before = state.accepted

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => repeat(at % 2 === 0 ? own : elsewhere, requestState, asked)),
    )

    expect(answers.filter((answer) => answer === 'answered')).toHaveLength(1)
    expect(answers.filter((answer) => answer === refused)).toHaveLength(19)
    expect(state.accepted - before).toBe(1)
  })

  test('T24: of 200 attempts with another caller, other arguments, tools, states, browsers and accounts none succeeds', async () => {
    const [own, other] = [await manual(first.token), await manual(second.token)]
    const asked = write()
    const { requestState } = await ask(own, asked)
    const open = await ask(own, write())
    const url = open.inputRequests.repair.params.url
    await world.decide(first.browser, (await ask(own, asked)).inputRequests.repair.params.url, 'once')
    const [before, nobody] = [state.accepted, new HttpBrowser()]
    const changed = () => {
      const at = randomInt(requestState.length)
      return requestState.slice(0, at) + (requestState[at] === 'A' ? 'B' : 'A') + requestState.slice(at + 1)
    }
    const swapped = { ...asked, arguments: { ...asked.arguments, size: 2 } }
    const cross = (browser: HttpBrowser, headers = {}) =>
      browser
        .post(url, { decision: 'once' }, headers)
        .then(({ status, headers }) =>
          status === 303 && !/authorize/.test(headers.get('location') ?? '') ? 'decided' : refused,
        )
    const attempts: Array<() => Promise<unknown>> = [
      () => repeat(other, requestState, asked),
      () => repeat(own, requestState, swapped),
      () => repeat(own, requestState, { name: 'list_files', arguments: {} }),
      () => repeat(own, changed(), asked),
      () => repeat(own, open.requestState, asked),
      () => ask(other, asked).then((answer) => (answer.inputRequests ? refused : answer)),
      () => repeat(other, '', asked).then((answer) => (answer === 'asked again' ? refused : answer)),
      () => cross(second.browser),
      () => cross(nobody),
      () => cross(first.browser, { Origin: 'https://evil.example' }),
    ]

    const answers: unknown[] = []
    for (let at = 0; at < 200; at += 10) answers.push(...(await Promise.all(attempts.map((attempt) => attempt()))))

    expect(new Set(answers)).toEqual(new Set([refused]))
    expect(answers).toHaveLength(200)
    expect(state.accepted).toBe(before)
    expect(await repeat(own, requestState, asked)).toBe('answered')
  }, 120_000)

  test('holds neither the person nor the arguments in readable form', async () => {
    const { requestState } = await ask(await manual(first.token), write())

    const text = Buffer.from(requestState.split('.')[1] ?? '', 'base64url').toString('latin1')
    expect(text).not.toMatch(/user-1|file|approval/i)
  })
})

describe('a client of 2025-11-25', () => {
  test('gets error -32042 with the URL, is told when it is decided, and its next call works', async () => {
    const client = await world.connect(first.token, { mode: 'legacy', capabilities })
    const complete: string[] = []
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
      complete.push(params.elicitationId)
    })
    const asked = write()
    const fails = () => client.callTool(asked).catch((error: ProtocolError) => error)

    const [once, twice] = [await fails(), await fails()]
    const beforeDecision = [...complete]
    const [elicitation] = (once as unknown as { data: { elicitations: [{ url: string; elicitationId: string }] } }).data
      .elicitations
    await world.decide(first.browser, elicitation.url, 'once')
    await waitFor('the client is told', () => complete.length > 0)

    expect(once).toMatchObject({
      code: -32_042,
      data: { elicitations: [{ mode: 'url', url: expect.stringMatching(page) }] },
    })
    expect(twice).toMatchObject({ data: { elicitations: [elicitation] } })
    expect([beforeDecision, complete]).toEqual([[], [elicitation.elicitationId]])
    expect(codeOf(await call(client, asked))).toBe('answered')
  })
})

describe('receipts', () => {
  const twins = async (token: string) => [await world.connect(token), await world.connect(token, { url: twinUrl })]
  const question = async (client: Client, asked: object) => urlOf(await call(client, asked))

  test('T25: one receipt makes one call of forty in parallel at two processes', async () => {
    const clients = await twins(first.token)
    const asked = write()
    await world.decide(first.browser, await question(clients[0] as Client, asked), 'once')
    const [before, used] = [state.accepted, await world.usedReceipts()]

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => call(clients[at % 2] as Client, asked).then(codeOf)),
    )

    expect(answers.filter((code) => code === 'answered')).toHaveLength(1)
    expect([state.accepted - before, (await world.usedReceipts()) - used]).toEqual([1, 1])
  })

  test('T25: as many calls as receipts are made while people decide and callers repeat', async () => {
    const clients = await twins(first.token)
    const calls = Array.from({ length: 10 }, write)
    const [before, used] = [state.accepted, await world.usedReceipts()]
    const people = async (asked: object) =>
      world.decide(first.browser, await question(clients[0] as Client, asked), 'once')
    const callers = (asked: object) => Promise.all([0, 1, 0, 1].map((at) => call(clients[at] as Client, asked)))

    await Promise.all(calls.flatMap((asked) => [people(asked), callers(asked)]))
    await Promise.all(calls.map(callers))

    expect(state.accepted - before).toBe(10)
    expect((await world.usedReceipts()) - used).toBe(10)
  })

  test('T25: for an hour: each call at two processes uses its own receipt', async () => {
    const third = await world.endUser('user-3')
    const clients = await twins(third.token)
    await world.decide(third.browser, await question(clients[0] as Client, write()), 'hour')
    const [before, used] = [state.accepted, await world.usedReceipts()]

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => call(clients[at % 2] as Client, write()).then(codeOf)),
    )

    expect(new Set(answers)).toEqual(new Set(['answered']))
    expect([state.accepted - before, (await world.usedReceipts()) - used]).toEqual([20, 20])
  })

  test.each<[what: string, change: string]>([
    [
      'written by hand',
      `decision = 'once', decided_at = now(), receipt = 'test.${createHmac('sha256', 'k').update('').digest('base64url')}'`,
    ],
    ['without a signature', `decision = 'once', decided_at = now()`],
    ['for an hour, written by hand', `decision = 'hour', decided_at = now(), receipt = 'test.AAAA'`],
  ])('T26: a row %s makes no call', async (what, change) => {
    const client = await world.connect((await world.endUser(what)).token)
    const asked = write()
    const id = (await question(client, asked)).split('/').at(-1)
    const before = state.accepted

    await world.platform.pool.query(`update approvals set ${change} where id = $1`, [id])

    expect([codeOf(await call(client, asked)), state.accepted]).toEqual(['approval_required', before])
  })

  test.each<[what: string, change: string]>([
    ['a later end', `expires_at = expires_at + interval '1 hour'`],
    ['other arguments', 'digest = (select digest from approvals where id = $2)'],
    ['another span', `decision = 'hour', used_at = null`],
  ])('T26: a receipt of a person, changed to %s, makes no call', async (what, change) => {
    const { browser, token } = await world.endUser(what)
    const client = await world.connect(token)
    const [asked, meant] = [write(), write()]
    const [url, other] = [await question(client, asked), await question(client, meant)]
    await world.decide(browser, url, 'once')
    const [id, otherId] = [url, other].map((each) => each.split('/').at(-1))
    const before = state.accepted

    const values = change.includes('$2') ? [id, otherId] : [id]
    await world.platform.pool.query(`update approvals set ${change} where id = $1`, values)

    const codes = [codeOf(await call(client, asked)), codeOf(await call(client, meant))]
    expect([codes, state.accepted]).toEqual([['approval_required', 'approval_required'], before])
  })
})
