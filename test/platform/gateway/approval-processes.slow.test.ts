// Approvals that several platform processes use, of which some are killed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { startPlatformProcess } from '../../support/processes/platform-process.ts'
import { type ApprovalWorld, approvalWorld, type Called, codeOf, urlOf } from '../../support/worlds/approval-world.ts'

let world: ApprovalWorld
let owner: Awaited<ReturnType<ApprovalWorld['endUser']>>
let processes: Awaited<ReturnType<typeof start>>[]

const start = () => startPlatformProcess(world.platform, { PUBLIC_URL: world.origin, ...world.files })

beforeAll(async () => {
  world = await approvalWorld()
  owner = await world.endUser('user-1')
  processes = await Promise.all([start(), start(), start()])
}, 120_000)
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()))
  await world.close()
})

let files = 0
const write = () => ({ name: 'write_file', arguments: { path: `file-${++files}`, size: 1 } })

const internalError = -32_603

/** Repeats a call that a busy database made fail. */
async function call(url: string, asked: object): Promise<Called> {
  const answer = await fetch(`${url}/acme/functions/files/mcp`, {
    method: 'POST',
    headers: {
      'X-Service-Authorization': `Bearer ${owner.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: asked }),
  })
  const { result, error } = (await answer.json()) as { result?: Called; error?: { code: number } }
  if (error?.code === internalError || answer.status === 503) return call(url, asked)
  if (!result) throw new Error(`status ${answer.status}: ${JSON.stringify(error)}`)
  return result
}

const question = async (asked: object) => urlOf(await call(processes[0]?.url ?? '', asked))

test('T25: 1,000 calls in parallel at three processes make as many calls as people allowed', async () => {
  const { state } = world.filebox
  const calls = Array.from({ length: 10 }, write)
  for (const asked of calls) await world.decide(owner.browser, await question(asked), 'once')
  const [before, used] = [state.accepted, await world.usedReceipts()]

  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, at) => call(processes[at % 3]?.url ?? '', calls[at % 10] as object).then(codeOf)),
  )

  expect(answers.filter((code) => code === 'answered')).toHaveLength(10)
  expect([state.accepted - before, (await world.usedReceipts()) - used]).toEqual([10, 10])
}, 120_000)

test('T25: a call whose process is killed is answered once or reported, and reaches the app at most once', async () => {
  const { state } = world.filebox
  const elsewhere = processes[1]?.url ?? ''
  for (let round = 0; round < 8; round++) {
    const asked = write()
    await world.decide(owner.browser, await question(asked), 'once')
    const victim = await start()
    const [accepted, sent, used] = [state.accepted, state.apiRequests.length, await world.usedReceipts()]
    // Some rounds kill it before the receipt is used, some after it, and some when the call is at the app.
    state.hold = round % 4 === 0
    const lost = call(victim.url, asked).then(codeOf, () => 'lost')
    if (round % 4 === 0) await waitFor('the call is at the app', () => state.apiRequests.length > sent)
    if (round % 4 === 1) await fetch(`${victim.url}/livez`)
    if (round % 4 === 2) await waitFor('the receipt is used', async () => (await world.usedReceipts()) > used)

    await victim.kill()

    world.filebox.release()
    const first = await lost
    const repeated = await call(elsewhere, asked)
    const isReported = /its answer is not known/.test(repeated.content[0]?.text ?? '')
    const outcome = first === 'answered' || codeOf(repeated) === 'answered' || isReported
    expect([round, outcome]).toEqual([round, true])
    expect(state.accepted - accepted).toBeLessThanOrEqual(1)
    expect((await world.usedReceipts()) - used).toBeLessThanOrEqual(1)
  }
}, 240_000)
