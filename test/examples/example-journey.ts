// The same journeys for all examples, which run as programs and are driven over HTTP like a browser would.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { deliverWebhooks } from '../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

export type Example = { url: string; output(): string; stop(): Promise<void> }

export type ExampleWorld = OnboardingWorld & { port: number }

/** Allows webhooks to the example's local address. */
export async function startExampleWorld(): Promise<ExampleWorld> {
  const port = await freePort()
  const world = await startOnboarding({ egressAllow: [`127.0.0.1:${port}`] })
  return Object.assign(world, { port })
}

/** Registers the tenant as the README says and waits until the example responds. */
export async function startExample(
  world: ExampleWorld,
  { command, folder }: { command: string[]; folder: string },
): Promise<Example> {
  const url = `http://127.0.0.1:${world.port}`
  await world.api('PATCH', '/tenants/acme', { returnUrls: [`${url}/connected`] })
  const { body } = await world.api('POST', '/tenants/acme/webhooks', { url: `${url}/webhooks` })
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    CAUSEWAY_URL: world.url,
    CAUSEWAY_API_KEY: world.key,
    CAUSEWAY_TENANT: 'acme',
    CAUSEWAY_WEBHOOK_SECRET: body.secret,
    INTEGRATION: 'provider',
    PORT: String(world.port),
    APP_URL: url,
  }
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const answers = () =>
    fetch(url).then(
      ({ ok }) => ok || hasEnded(child, output),
      () => hasEnded(child, output),
    )
  await waitFor('the example answers', answers)
  return { url, output: () => output, stop: () => stop(child) }
}

function hasEnded({ exitCode }: ChildProcess, output: string): false {
  if (exitCode !== null) throw new Error(`the example ended with ${exitCode}: ${output}`)
  return false
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** A user connects an account. The example lists the account and the verified webhook. */
export async function connectAccount(world: ExampleWorld, { url }: Example): Promise<void> {
  const browser = new HttpBrowser()
  const before = await browser.get(url)
  const pressed = await browser.post(`${url}/connect`)
  const connectUrl = pressed.headers.get('location') ?? ''
  const returned = await browser.follow(await browser.post(connectUrl), `${url}/connected`)
  const connected = await browser.get(returned.url)
  await (await deliverWebhooks(world.ports)()).done
  const after = await browser.get(url)

  expect(before.text).toContain('Connect Provider<')
  expect(pressed.status).toBe(303)
  expect(connectUrl.startsWith(`${world.url}/connect/`)).toBe(true)
  expect(connected.text).toMatch(/<h1[^>]*>Connected</)
  expect(after.text).toContain('Provider: ')
  expect(after.text).toContain('/mcp')
  expect(after.text).toContain('link.succeeded')
}

export async function decline(world: ExampleWorld, { url }: Example): Promise<void> {
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
  const browser = new HttpBrowser()
  await browser.get(url)
  const pressed = await browser.post(`${url}/connect`)
  const returned = await browser.follow(await browser.post(pressed.headers.get('location') ?? ''), `${url}/connected`)
  world.provider.calm()

  expect((await browser.get(returned.url)).text).toContain('You didn’t allow access')
}

/** Another browser opens the return URL and gets no account. */
export async function linkNothingForStrangers(world: ExampleWorld, { url }: Example): Promise<void> {
  const victim = new HttpBrowser()
  await victim.get(url)
  const pressed = await victim.post(`${url}/connect`)
  const returned = await victim.follow(await victim.post(pressed.headers.get('location') ?? ''), `${url}/connected`)
  const stranger = new HttpBrowser()
  await stranger.get(url)
  const visited = await stranger.get(returned.url)
  const home = await stranger.get(url)

  expect(visited.text).not.toMatch(/<h1[^>]*>Connected</)
  expect(home.text).not.toContain('/mcp')
  expect((await world.api('GET', '/connections?status=active')).status).toBe(200)
}

export async function rejectForgeries({ url }: Example): Promise<void> {
  const body = JSON.stringify({
    type: 'link.succeeded',
    timestamp: new Date().toISOString(),
    data: { tenantId: 'acme' },
  })
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_forged',
    'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
    'webhook-signature': 'v1,Zm9yZ2Vk',
  }
  const forged = await fetch(`${url}/webhooks`, { method: 'POST', headers, body })
  const bare = await fetch(`${url}/webhooks`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

  expect([forged.status, bare.status]).toEqual([400, 400])
}
