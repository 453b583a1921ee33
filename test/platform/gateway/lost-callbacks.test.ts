// Undelivered callbacks notify the owner, who is the only one who can fix them.
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { startUpstream } from '../../support/doubles/upstream.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const receiver = await startUpstream()
const world = await platformWorld({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
afterAll(async () => {
  await world.close()
  await receiver.close()
})

type Event = { type: string; status: string; message: string }

async function deploy(path: string, name: string, configuration: object) {
  const triggers = [{ type: 'http-async', configuration }]
  const spec = { runtime: { image: 'local/echo' }, triggers }
  await createResource(world.as(world.admin), path, name, spec)
  return waitFor('it is deployed', async () => {
    const { body } = await world.as(world.admin).get(`/v0/${path}/${name}`)
    return body.status === 'DEPLOYED' && (body.events as Event[])
  })
}

const callbackEvents = async (path: string, name: string): Promise<Event[]> => {
  const { body } = await world.as(world.admin).get(`/v0/${path}/${name}`)
  return body.events.filter(({ type }: Event) => type === 'callback')
}

const send = (path: string, body: object) =>
  request(world.app).post(`/acme/${path}`).auth(world.admin.key, { type: 'bearer' }).send(body).expect(200)

test.each([
  ['agents', '?async=true', { inputs: 'x' }],
  ['jobs', '', { tasks: [{}] }],
])('%s with a blocked callback get an event at deployment and when a callback is lost', async (path, query, body) => {
  const events = await deploy(path, 'inner', { callbackUrl: 'http://169.254.169.254/x?token=CANARY', retry: 5 })

  await send(`${path}/inner${query}`, body)
  await waitFor('its owner is told', async () => (await callbackEvents(path, 'inner')).length === 2, {
    withinMs: 30_000,
  })

  expect(events.at(-1)).toMatchObject({ type: 'callback', status: 'DEPLOYED' })
  expect((await callbackEvents(path, 'inner')).map(({ message }) => message)).toEqual([
    "The callback host 169.254.169.254 can't be called: it must use https, a public address and port 443.",
    'A callback to 169.254.169.254 could not be delivered and was given up: its address is blocked.',
  ])
})

test.each([
  ['agents', '?async=true', { inputs: 'x' }],
  ['jobs', '', { tasks: [{}] }],
])('the owner of %s whose callback keeps failing is notified once per reason', async (path, query, body) => {
  const events = await deploy(path, 'refused', { callbackUrl: `${receiver.url}/callback`, retry: 1 })
  Object.assign(receiver.state, { callbacks: [], failingCallbacks: 4 })

  for (let at = 0; at < 2; at++) await send(`${path}/refused${query}`, body)
  await waitFor('both were given up', () => receiver.state.callbacks.length === 4, { withinMs: 30_000 })
  await waitFor('its owner is told', async () => (await callbackEvents(path, 'refused')).length > 0)
  await send(`${path}/refused${query}`, body)
  await waitFor('the next is taken', () => receiver.state.callbacks.length === 5, { withinMs: 30_000 })

  expect(events.every(({ type }) => type === 'deployment')).toBe(true)
  const { host } = new URL(receiver.url)
  expect(await callbackEvents(path, 'refused')).toMatchObject([
    { message: `A callback to ${host} could not be delivered and was given up: it answered 500.` },
  ])
})
