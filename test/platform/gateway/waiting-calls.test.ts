// A client that opens URLs for its user: the call that met a dead grant is answered after the re-link, once.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ProtocolError } from '@modelcontextprotocol/client'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { repairWorld } from '../../support/worlds/repair-world.ts'

afterAll(async () => {
  await world.closeClients()
  await twin.close()
  await world.close()
})

const world = await repairWorld()
const first = await world.endUser('user-1')
const second = await world.endUser('user-2')
const twin = await world.twin()
const { state } = world.filebox

beforeEach(async () => {
  await world.relink()
})

const capabilities = { elicitation: { url: {} } }
const page = new RegExp(`^${world.origin}/oauth/repair/[A-Za-z0-9_-]{22}$`)
const write = { name: 'write_file', arguments: { path: 'a', size: 1 } }

type Result = { isError?: boolean; content: Array<{ text: string }>; _meta?: { repairUrl?: string } }

describe('a client of 2026-07-28', () => {
  /** The user's answer to the URL. */
  async function client(answer: (url: string) => Promise<'accept' | 'decline'>, token = first.token) {
    const opened = await world.connect(token, { capabilities })
    opened.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: await answer('url' in params ? params.url : ''),
    }))
    world.killGrant()
    return opened
  }

  test('gets the answer of the same call after the re-link, which the provider sees once', async () => {
    const urls: string[] = []
    const opened = await client(async (url) => {
      urls.push(url)
      await world.relink()
      return 'accept'
    })
    const before = state.accepted

    const result = (await opened.callTool(write)) as Result

    expect(urls).toEqual([expect.stringMatching(page)])
    expect([result.isError, state.accepted - before]).toEqual([false, 1])
  })

  test('waits if its user is still at the page, without asking again', async () => {
    const urls: string[] = []
    let relinked: Promise<unknown> | undefined
    const opened = await client(async (url) => {
      urls.push(url)
      relinked = pause(1_000).then(world.relink)
      return 'accept'
    })

    const result = (await opened.callTool(write)) as Result
    await relinked

    expect([result.isError, urls.length]).toEqual([false, 1])
  })

  test('gets the sentence if its user declines', async () => {
    const opened = await client(async () => 'decline')

    const result = (await opened.callTool(write)) as Result

    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('needs re-linking') }] })
    expect(result._meta?.repairUrl).toMatch(page)
  })

  test('gets the sentence without a URL for its user if it declares only forms', async () => {
    const opened = await world.connect(first.token, { capabilities: { elicitation: { form: {} } } })
    world.killGrant()

    const result = (await opened.callTool(write)) as Result

    expect(result.isError).toBe(true)
  })
})

describe('the request state', () => {
  type Input = { requestState: string }
  const options = { allowInputRequired: true } as const
  const byHand = { capabilities, inputRequired: { autoFulfill: false } }
  const manual = (token: string) => world.connect(token, byHand)

  async function stateOf(client: Client, call = write): Promise<string> {
    world.killGrant()
    return ((await client.callTool(call, options)) as unknown as Input).requestState
  }
  const repeat = (client: Client, requestState: string, call: object = write) =>
    client
      .callTool({ ...write, ...call, requestState, inputResponses: { repair: { action: 'accept' } } } as never, options)
      .then(
        (result) => (result as Result).isError === false,
        (error) => (error instanceof ProtocolError ? error.code : error),
      )
  const refused = -32_602

  test('T22: is used once, by twenty repeats at two processes', async () => {
    const own = await manual(first.token)
    const requestState = await stateOf(own)
    await world.relink()
    const before = state.accepted

    const elsewhere = await world.connect(first.token, { ...byHand, url: await twin.listen() })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => repeat(at % 2 === 0 ? own : elsewhere, requestState)),
    )

    expect(answers.filter((answer) => answer === true)).toHaveLength(1)
    expect(answers.filter((answer) => answer === refused)).toHaveLength(19)
    expect(state.accepted - before).toBe(1)
    expect(await repeat(own, requestState)).toBe(refused)
  })

  test('T22: is only for its caller, tool and arguments; of 200 attempts none succeeds', async () => {
    const [own, other] = [await manual(first.token), await manual(second.token)]
    const requestState = await stateOf(own)
    await world.relink()
    const before = state.accepted
    const changed = () => {
      const at = randomInt(requestState.length)
      const letter = requestState[at] === 'A' ? 'B' : 'A'
      return requestState.slice(0, at) + letter + requestState.slice(at + 1)
    }
    const attempts: Array<() => Promise<unknown>> = [
      () => repeat(other, requestState),
      () => repeat(own, requestState, { arguments: { path: `b${randomInt(1_000)}`, size: 1 } }),
      () => repeat(own, requestState, { name: 'list_files', arguments: {} }),
      () => repeat(own, changed()),
    ]

    const answers: unknown[] = []
    for (let at = 0; at < 200; at += 20) {
      answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, next) => attempts[(at + next) % 4]?.()))))
    }

    expect(new Set(answers)).toEqual(new Set([refused]))
    expect(state.accepted).toBe(before)
    expect(await repeat(own, requestState)).toBe(true)
  }, 60_000)

  test('T22: a repeat whose client left before the answer is not sent again', async () => {
    const own = await manual(first.token)
    const requestState = await stateOf(own)
    await world.relink()
    const [before, sent] = [state.accepted, state.apiRequests.length]
    const leaving = new AbortController()
    state.hold = true
    const left = own
      .callTool({ ...write, requestState } as never, { ...options, signal: leaving.signal })
      .catch(() => 'left')
    await waitFor('the call is at the provider', () => state.apiRequests.length > sent)

    leaving.abort()
    world.filebox.release()

    expect([await left, await repeat(own, requestState)]).toEqual(['left', refused])
    expect(state.accepted - before).toBeLessThanOrEqual(1)
  })

  test('the order of the arguments does not matter', async () => {
    const own = await manual(first.token)
    const requestState = await stateOf(own)
    await world.relink()

    expect(await repeat(own, requestState, { arguments: { size: 1, path: 'a' } })).toBe(true)
  })

  test('holds neither the person nor the secrets in readable form', async () => {
    const requestState = await stateOf(await manual(first.token))

    const text = Buffer.from(requestState.split('.')[1] ?? '', 'base64url').toString('latin1')
    expect(text).not.toMatch(/user-1|files|filebox|CANARY/i)
  })
})

describe('a client of 2025-11-25', () => {
  test('gets error -32042 with the URL, is told when it is complete, and its next call works', async () => {
    const client = await world.connect(first.token, { mode: 'legacy', capabilities })
    const complete: string[] = []
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
      complete.push(params.elicitationId)
    })
    world.killGrant()
    const fails = () => client.callTool(write).catch((error: ProtocolError) => error)

    const [once, twice] = [await fails(), await fails()]
    const beforeRelink = [...complete]
    await world.relink()
    await waitFor('the client is told', () => complete.length > 0)
    const next = (await client.callTool(write)) as Result

    expect(once).toMatchObject({
      code: -32_042,
      data: { elicitations: [{ mode: 'url', url: expect.stringMatching(page), elicitationId: expect.any(String) }] },
    })
    const idOf = (error: unknown) =>
      (error as { data: { elicitations: [{ elicitationId: string }] } }).data.elicitations[0].elicitationId
    expect(idOf(twice)).toBe(idOf(once))
    expect([beforeRelink, complete]).toEqual([[], [idOf(once)]])
    expect(next.isError).toBe(false)
  })

  test('is told nothing about the elicitations of another session', async () => {
    const [own, other] = [
      await world.connect(first.token, { mode: 'legacy', capabilities }),
      await world.connect(second.token, { mode: 'legacy', capabilities }),
    ]
    const told: string[] = []
    for (const [name, client] of Object.entries({ own, other })) {
      client.setNotificationHandler('notifications/elicitation/complete', () => void told.push(name))
    }
    world.killGrant()
    await own.callTool(write).catch(() => undefined)

    await world.relink()
    await waitFor('the client is told', () => told.length > 0)

    expect(told).toEqual(['own'])
  })
})
