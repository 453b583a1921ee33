import { createHmac } from 'node:crypto'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { serveGateway } from '../../../src/platform/control-plane/flows/serve-gateway.ts'
import { fireAgents } from '../../../src/platform/gateway/flows/fire-agents.ts'
import { startUpstream } from '../../support/doubles/upstream.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const receiver = await startUpstream()
const world = await platformWorld({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
const api = world.as(world.admin)
afterAll(async () => {
  await world.close()
  await receiver.close()
})

const agentWith = async (name: string, trigger: object) => {
  const spec = { runtime: { image: 'local/echo' }, triggers: [trigger] }
  const { body } = await createResource(api, 'agents', name, spec)
  await waitFor('its deployment is over', async () => {
    const { status } = (await api.get(`/v0/agents/${name}`)).body
    return status === 'DEPLOYED' || status === 'FAILED'
  })
  return body.spec.triggers[0].configuration.callbackSecret as string
}

const told = (words: string, count = 1) =>
  waitFor(`the callback of ${words} is told`, () => {
    const found = receiver.state.callbacks.filter(({ body }) => body.includes(words))
    return found.length >= count && found
  })

const signatureOf = (body: string, secret: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

test('P5: a cron trigger calls its agent once per task with several processes, and its callback is signed', async () => {
  const inAnHour = new Date(Date.now() + 3_600_000)
  const configuration = {
    // Not every minute, because the program's own clock fires as well.
    schedule: `${inAnHour.getUTCMinutes()} ${inAnHour.getUTCHours()} * * *`,
    tasks: [{ inputs: 'first task' }, { inputs: 'second task' }],
    callbackUrl: `${receiver.url}/callback`,
  }
  const secret = await agentWith('clocked', { type: 'cron', configuration })
  const workloads = serveGateway(world.adapters)
  const fire = fireAgents({ ...world.adapters, ...workloads, now: () => inAnHour })

  await Promise.all(Array.from({ length: 4 }, () => fire()))
  const [first] = await told('first task')
  const [second] = await told('second task')
  await fire()

  // A request is deleted a moment after its callback has arrived.
  await waitFor('no request is left', async () => (await world.pool.query('select from async_requests')).rowCount === 0)
  expect(JSON.parse(first!.body)).toMatchObject({ status_code: 200, response_length: expect.any(Number) })
  for (const { body, headers } of [first!, second!]) {
    expect(headers['x-service-signature']).toBe(signatureOf(body, secret))
  }
  expect(receiver.state.callbacks).toHaveLength(2)
})

test('P5: the callback of an http trigger gets the same response as the caller, signed', async () => {
  const configuration = { callbackUrl: `${receiver.url}/callback` }
  const secret = await agentWith('waited', { type: 'http', configuration })

  const answer = await request(world.app)
    .post('/acme/agents/waited')
    .auth(world.admin.key, { type: 'bearer' })
    .send({ inputs: 'waited for' })
  const [callback] = await told('waited for')

  expect(answer.body.output).toBe('waited for')
  expect(JSON.parse(callback!.body)).toMatchObject({ status_code: 200, response_body: answer.text })
  expect(callback!.headers['x-service-signature']).toBe(signatureOf(callback!.body, secret))
})

test('P5: an http trigger with a path calls back only for requests to that path', async () => {
  const configuration = { callbackUrl: `${receiver.url}/callback`, path: 'daily' }
  await agentWith('pathed', { type: 'http', configuration })
  const ask = (path: string, inputs: string) =>
    request(world.app).post(`/acme/agents/pathed${path}`).auth(world.admin.key, { type: 'bearer' }).send({ inputs })

  await ask('', 'at the root')
  await ask('/daily', 'at its path')

  await told('at its path')
  expect(receiver.state.callbacks.filter(({ body }) => body.includes('at the root'))).toEqual([])
})

test('P5: an agent with an invalid schedule is FAILED with an event', async () => {
  await agentWith('odd', { type: 'cron', configuration: { schedule: 'sometimes' } })

  const { body } = await api.get('/v0/agents/odd')

  expect([body.status, body.events.at(-1).message]).toEqual([
    'FAILED',
    expect.stringContaining('The schedule "sometimes" is invalid'),
  ])
})
