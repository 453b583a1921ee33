// `causeway listen` as its users run it: a process that can be killed, a deployment that can go away, a receiver.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyWebhook } from '../../../packages/client/src/client.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'
import { cliProgram } from './cli-program.ts'
import { isListening, type Listener, startListener, startReceiver } from './listening.ts'

let world: OnboardingWorld
let api: OnboardingWorld['api']
let key: string
let program: string

beforeAll(async () => {
  world = await startOnboarding()
  program = await cliProgram()
  const testMode = { name: 'test', tenant: undefined, testMode: true }
  key = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
  api = world.apiAs(key)
})
afterAll(() => world.close())

async function newTenant(name: string): Promise<string> {
  const tenant = { workspace: name, displayName: name, returnUrls: [returnUrl] }
  return (await api('PUT', `/tenants/test_${name}`, tenant)).body.id
}

const trigger = async (tenant: string): Promise<string> =>
  (await api('POST', `/tenants/${tenant}/events`, { type: 'link.succeeded' })).body.id

/** Events are listed in their order, so one waits for every transaction that was there before it, elsewhere as well. */
const triggerBefore = async (tenant: string): Promise<string> => {
  const id = await trigger(tenant)
  const newest = async () => (await api('GET', `/tenants/${tenant}/events?order=newest&limit=1`)).body.data[0]?.id
  await waitFor('it is listed', async () => (await newest()) === id)
  return id
}

const startListening = (tenant: string, folder: string, ...more: string[]): Listener =>
  startListener({ program, url: world.url, key, tenant, folder }, ...more)

test('every event arrives signed, in order, and is printed with its answer', async () => {
  const tenant = await newTenant('orders')
  const receiver = await startReceiver((seen) => (seen === 2 ? 500 : 200))
  const before = await triggerBefore(tenant)
  const listener = startListening(tenant, temporaryFolder(), '--forward-to', receiver.url)
  await isListening(listener)

  const ids = [await trigger(tenant), await trigger(tenant), await trigger(tenant)]
  await waitFor('all arrived', async () => receiver.received.length === 3)
  await waitFor('all are printed', async () => listener.output().includes(ids[2] ?? ''))
  const code = await listener.end('SIGTERM')
  await receiver.close()

  const [, secret = ''] = /signed with (whsec_\S+)/.exec(listener.output()) ?? []
  const [first] = receiver.received
  expect(receiver.received.map(({ id }) => id)).toEqual(ids)
  expect(verifyWebhook(first?.body ?? '', first?.headers ?? {}, secret)).toMatchObject({
    type: 'link.succeeded',
    data: { tenantId: tenant, testMode: true },
  })
  expect(listener.output()).not.toContain(before)
  expect(listener.output()).toMatch(new RegExp(`link.succeeded +${ids[1]} +500 `))
  expect(code).toBe(0)
})

test('killed again and again in the midst of messages, it loses nothing and repeats nothing', async () => {
  const tenant = await newTenant('kills')
  const folder = temporaryFolder()
  // Slow enough that most kills meet a message that was received and is not answered.
  const receiver = await startReceiver(() => new Promise((resolve) => setTimeout(() => resolve(200), 50)))
  const args = [tenant, folder, '--forward-to', receiver.url] as const
  let listener = startListening(...args)
  await isListening(listener)

  const ids: string[] = []
  for (let kill = 0; kill < 3; kill += 1) {
    const already = receiver.received.length
    for (let event = 0; event < 5; event += 1) ids.push(await trigger(tenant))
    await waitFor('some arrived', async () => receiver.received.length > already)
    await listener.end('SIGKILL')
    listener = startListening(...args)
  }
  await waitFor('all arrived', async () => receiver.ids().includes(ids.at(-1) ?? ''))
  await listener.end('SIGTERM')
  await receiver.close()

  expect(receiver.ids()).toEqual(ids)
})

test('a message that waits for its answer is not sent again by the next run, which waits as well', async () => {
  const tenant = await newTenant('debugger')
  const folder = temporaryFolder()
  let resume: (status: number) => void = () => {}
  const halted = new Promise<number>((resolve) => {
    resume = resolve
  })
  const receiver = await startReceiver((seen) => (seen === 1 ? halted : 204))
  const args = [tenant, folder, '--forward-to', receiver.url] as const
  const first = startListening(...args)
  await isListening(first)
  const ids = [await trigger(tenant), await trigger(tenant)]
  await waitFor('the first arrived', async () => receiver.received.length === 1)
  await first.end('SIGKILL')

  const second = startListening(...args)
  await waitFor('it says so', async () => second.output().includes(`${ids[0]} is still on its way`))
  resume(202)
  await waitFor('the second arrived', async () => second.output().includes(`${ids[1]}  204`))
  await second.end('SIGTERM')
  await receiver.close()

  expect(receiver.ids()).toEqual(ids)
  expect(second.output()).toContain(`Continuing after ${ids[0]}, which was answered with 202.`)
})

test('if the process that sends is killed as well, what may have arrived is sent again, and said', async () => {
  const tenant = await newTenant('both-killed')
  const folder = temporaryFolder()
  const receiver = await startReceiver((seen) => (seen === 1 ? new Promise<number>(() => {}) : 200))
  const args = [tenant, folder, '--forward-to', receiver.url] as const
  const first = startListening(...args)
  await isListening(first)
  const id = await trigger(tenant)
  await waitFor('it arrived', async () => receiver.received.length === 1)
  await first.end('SIGKILL')
  process.kill(forwarderIn(folder), 'SIGKILL')

  const second = startListening(...args)
  await waitFor('it arrived again', async () => second.output().includes(`${id}  200`))
  await second.end('SIGTERM')
  await receiver.close()

  expect(receiver.ids()).toEqual([id, id])
  expect(second.output()).toContain(`${id} may have arrived before its connection broke. It is sent again`)
})

/** Its number stands in its lock. */
function forwarderIn(folder: string): number {
  const at = join(folder, 'causeway/listen')
  const name = readdirSync(at).find((each) => each.endsWith('.sending.lock')) ?? ''
  return Number(readFileSync(join(at, name), 'utf8').split(' ')[0])
}

test('whoever asked for the secret first begins with what happens from then on, too', async () => {
  const tenant = await newTenant('secret-first')
  const folder = temporaryFolder()
  const receiver = await startReceiver()
  await triggerBefore(tenant)
  const printing = startListening(tenant, folder, '--print-secret')
  await waitFor('it is printed', async () => printing.output().includes('whsec_'))
  const listener = startListening(tenant, folder, '--forward-to', receiver.url)
  await isListening(listener)

  const id = await trigger(tenant)
  await waitFor('it arrived', async () => receiver.received.length > 0)
  await listener.end('SIGTERM')
  await receiver.close()

  expect(receiver.ids()).toEqual([id])
  expect(listener.output()).toContain(`signed with ${printing.output().trim()}`)
})

test('there is no secret for a tenant that is not there', async () => {
  const printing = startListening('test_nobody', temporaryFolder(), '--print-secret')

  await waitFor('it is refused', async () => printing.output().includes('no such tenant'))

  expect(printing.output()).not.toContain('whsec_')
})

test('a receiver that is away is waited for, and a second listener is refused', async () => {
  const tenant = await newTenant('away')
  const folder = temporaryFolder()
  const gone = await startReceiver()
  await gone.close()
  const listener = startListening(tenant, folder, '--forward-to', gone.url)
  await isListening(listener)
  await trigger(tenant)

  const second = startListening(tenant, folder, '--forward-to', gone.url)
  const refused = await new Promise((resolve) => second.child.once('exit', resolve))
  await waitFor('it says so', async () => listener.output().includes('does not answer'))
  await listener.end('SIGTERM')

  expect(refused).toBe(1)
  expect(second.output()).toContain('is running for this tenant already')
})
