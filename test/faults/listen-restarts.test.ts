// `causeway listen` beside a deployment that is killed and started anew, while it is killed itself.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCauseway } from '../../packages/client/src/client.ts'
import { openWorld } from '../../src/onboarding/compose.ts'
import { readConfig } from '../../src/onboarding/config.ts'
import { cliProgram } from '../packages/cli/cli-program.ts'
import { isListening, startListener, startReceiver } from '../packages/cli/listening.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

let fleet: Fleet
let key: string
let program: string

beforeAll(async () => {
  ;[fleet, program] = await Promise.all([startFleet(), cliProgram()])
  key = await createTestKey(fleet.env)
})
afterAll(() => fleet?.close())

/** As the operator's command makes it. */
async function createTestKey(env: NodeJS.ProcessEnv): Promise<string> {
  const world = openWorld(readConfig(env))
  try {
    const wanted = { name: 'test', tenant: undefined, testMode: true }
    return (await world.apiKeys.create(wanted, { kind: 'operator' })).key.reveal()
  } finally {
    await world.close()
  }
}

test('both sides are killed again and again: every event arrives, once and in order', {
  timeout: 300_000,
}, async () => {
  let deployment = await fleet.start()
  // The key of a request whose process was killed is busy for a minute.
  const retries = { maxAttempts: 100, maxWaitMs: 120_000 }
  const causeway = createCauseway({ url: fleet.url, apiKey: key, retries })
  await causeway.tenants.put('test_restarts', {
    workspace: 'restarts',
    displayName: 'Restarts',
    returnUrls: ['https://restarts.example/return'],
  })
  const receiver = await startReceiver(() => new Promise((resolve) => setTimeout(() => resolve(200), 20)))
  const start = { program, url: fleet.url, key, tenant: 'test_restarts', folder: temporaryFolder() }
  const listen = () => startListener(start, '--forward-to', receiver.url)
  let listener = listen()
  await isListening(listener)

  const ids: string[] = []
  for (let round = 0; round < 2; round += 1) {
    const already = receiver.received.length
    const triggering = [1, 2, 3, 4].map(() => causeway.events.trigger('test_restarts', { type: 'link.succeeded' }))
    await waitFor('some arrived', async () => receiver.received.length > already)
    await Promise.all([deployment.kill(), listener.end('SIGKILL')])
    listener = listen()
    deployment = await fleet.start()
    ids.push(...(await Promise.all(triggering)).map(({ id }) => id))
  }
  await waitFor('all arrived', async () => ids.every((id) => receiver.ids().includes(id)))
  const listed = await causeway.events.list('test_restarts').toArray()
  await listener.end('SIGTERM')
  await receiver.close()

  expect(receiver.ids()).toEqual(listed.map(({ id }) => id))
  expect(receiver.ids()).toHaveLength(8)
})
