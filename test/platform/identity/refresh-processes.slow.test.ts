// Three platform processes that answer for one refresh token.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatformProcess } from '../../support/processes/platform-process.ts'
import { mcpApp } from '../../support/worlds/mcp-app.ts'
import { callback, type McpLoginWorld, mcpLoginWorld } from '../../support/worlds/mcp-login-world.ts'

let world: McpLoginWorld
let app: ReturnType<typeof mcpApp>
let processes: Awaited<ReturnType<typeof startPlatformProcess>>[]

const start = () =>
  startPlatformProcess(world.platform, { PUBLIC_URL: world.origin, RATE_FAILED_PER_MINUTE: '1000000' })

beforeAll(async () => {
  world = await mcpLoginWorld()
  const answer = await fetch(`${world.origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback] }),
  })
  app = mcpApp(world, ((await answer.json()) as { client_id: string }).client_id)
  processes = await Promise.all([start(), start(), start()])
}, 120_000)
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()))
  await world.close()
})

test('100 parallel refreshes of one token at three processes return one successor', async () => {
  const { refresh_token } = await app.tokensFor()

  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => app.refresh(refresh_token, {}, processes[at % 3]?.url)),
  )

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  const successors = new Set(answers.map(({ body }) => body.refresh_token))
  expect([successors.size, successors.has(refresh_token)]).toEqual([1, false])
  const [successor = ''] = successors
  const next = await app.refresh(successor, {}, processes[1]?.url)
  expect((await app.ask(next.body.access_token)).status).toBe(200)
})

test('a process that is killed while it refreshes costs no login', async () => {
  for (let round = 0; round < 5; round++) {
    const { refresh_token } = await app.tokensFor()
    const victim = await start()
    await fetch(`${victim.url}/.well-known/oauth-authorization-server`)
    const lost = Array.from({ length: 10 }, () => app.refresh(refresh_token, {}, victim.url).catch(() => undefined))
    // Some rounds kill it before the replacement, some after it.
    await Promise.race([lost[0], fetch(`${victim.url}/livez`)])

    await victim.kill()

    await Promise.all(lost)
    const { status, body } = await app.refresh(refresh_token, {}, processes[0]?.url)
    expect(status).toBe(200)
    expect((await app.refresh(body.refresh_token ?? '', {}, processes[2]?.url)).status).toBe(200)
  }
}, 120_000)
