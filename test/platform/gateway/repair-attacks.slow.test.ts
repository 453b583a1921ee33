// People other than the one whose call failed, and processes that are killed in the middle of a repeated call.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { startPlatformProcess } from '../../support/processes/platform-process.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type RepairWorld, repairWorld } from '../../support/worlds/repair-world.ts'

type Person = Awaited<ReturnType<RepairWorld['endUser']>>

let world: RepairWorld
let first: Person
let second: Person
let member: Person

beforeAll(async () => {
  world = await repairWorld({ RATE_FAILED_PER_MINUTE: '1000000' })
  first = await world.endUser('user-1')
  second = await world.endUser('user-2')
  member = await world.member('admin@acme.example')
}, 120_000)
afterAll(() => world.close())

type Called = { isError?: boolean; requestState?: string; _meta?: { repairUrl?: string } }

const declares = { elicitation: { url: {} } }
const write = (path: string) => ({ name: 'write_file', arguments: { path, size: 1 } })
const byHand = { capabilities: declares, inputRequired: { autoFulfill: false } }

async function failedCall(token: string): Promise<string> {
  const client = await world.connect(token)
  world.killGrant()
  const failed = (await client.callTool(write('a'))) as Called
  await client.close()
  return failed._meta?.repairUrl ?? ''
}

test('T20: of 1,000 attempts with forwarded and made-up links, other browsers, accounts and tickets none succeeds', async () => {
  const url = await failedCall(first.token)
  const ofMember = await failedCall(member.token)
  const ticketIn = (location: string | null) => location && new URL(location, world.origin).searchParams.get('ticket')
  const ticketFor = async ({ browser }: Pick<Person, 'browser'>, address: string) =>
    ticketIn((await browser.get(address)).headers.get('location'))
  const used = (await ticketFor(first, url)) ?? ''
  await world.redeem(used).expect(200)
  const replaced = (await ticketFor(first, url)) ?? ''
  await ticketFor(first, url)
  const nobody = () => ({ browser: new HttpBrowser() })
  const made = () => `${world.origin}/oauth/repair/${randomBytes(16).toString('base64url')}`
  const returned = '?connect_session_id=ses_1&completion_code=stolen&status=authorized'
  const redeemed = async (ticket: string, name?: string) =>
    (await world.redeem(ticket, name)).status === 200 ? ticket : null
  const attempts: Array<() => Promise<string | null>> = [
    // An attacker triggers the request and sends its URL to another person (MCP, elicitation, Phishing).
    () => ticketFor(second, url),
    () => ticketFor(member, url),
    () => ticketFor(first, ofMember),
    () => ticketFor(nobody(), url),
    () => ticketFor(nobody(), ofMember),
    () => ticketFor(second, url + returned),
    () => ticketFor(nobody(), url + returned),
    () => ticketFor(first, made()),
    () => redeemed(used),
    () => redeemed(replaced),
    () => redeemed(randomBytes(32).toString('base64url')),
    () => redeemed(used, 'others'),
  ]

  const won: unknown[] = []
  for (let at = 0; at < 1_000; at += 10) {
    won.push(...(await Promise.all(Array.from({ length: 10 }, (_, next) => attempts[(at + next) % 12]?.()))))
  }

  expect(won).toHaveLength(1_000)
  expect(won.filter(Boolean)).toEqual([])
  expect(await ticketFor(first, url)).toMatch(/^[\w-]{43}$/)
}, 300_000)

test('T22: a repeated call whose process is killed reaches the provider at most once', async () => {
  const { state } = world.filebox
  const elsewhere = await world.twin()
  const integrations = join(temporaryFolder(), 'integrations.json')
  writeFileSync(integrations, JSON.stringify({ integrations: [world.filebox.integration] }))
  const env = { PUBLIC_URL: world.origin, INTEGRATIONS_FILE: integrations }
  for (let round = 0; round < 4; round++) {
    await world.relink()
    const victim = await startPlatformProcess(world.platform, env)
    const client = await world.connect(first.token, { ...byHand, url: `${victim.url}/acme/functions/files/mcp` })
    world.killGrant()
    const call = write(`round-${round}`)
    const { requestState } = (await client.callTool(call, { allowInputRequired: true })) as Called
    await world.relink()
    const [accepted, sent] = [state.accepted, state.apiRequests.length]
    const repeated = { ...call, requestState, inputResponses: { repair: { action: 'accept' } } } as never
    // Some rounds kill it when the call is at the provider, the others sooner.
    state.hold = round % 2 === 0
    const lost = client.callTool(repeated).then(
      ({ isError }) => isError === false,
      () => false,
    )
    if (state.hold) await waitFor('the call is at the provider', () => state.apiRequests.length > sent)

    await victim.kill()

    world.filebox.release()
    const other = await world.connect(first.token, { ...byHand, url: await elsewhere.listen() })
    const answers = [
      await lost,
      await other.callTool(repeated).then(
        ({ isError }) => isError === false,
        ({ code }) => code,
      ),
    ]
    await other.close()
    // Answered once, or the client is told that the state was used.
    expect([round, answers.filter((answer) => answer === true).length === 1 || answers[1]]).toEqual([
      round,
      answers.includes(true) ? true : -32_602,
    ])
    expect(state.accepted - accepted).toBeLessThanOrEqual(1)
  }
  await elsewhere.close()
}, 300_000)
