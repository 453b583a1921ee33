// Triggers with `authenticationType: public` accept requests without a credential.
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { jobWorld } from '../../support/worlds/job-world.ts'
import { createResource } from '../../support/worlds/platform-world.ts'

const world = await jobWorld()
afterAll(() => world.close())

const trigger = (authenticationType: string, path?: string, type = 'http') => ({
  type,
  configuration: { authenticationType, path },
})
const anybody = (path: string, body: object = {}) => request(world.platform.app).post(path).send(body)

test('anybody starts a job by its public trigger', async () => {
  const triggers = [
    trigger('public', '/open'),
    trigger('private', '/closed'),
    trigger('public', '/later', 'http-async'),
  ]
  await world.job('hooked', { image: 'local/echo' }, { triggers })

  const answers = await Promise.all([
    anybody('/acme/jobs/hooked/open', { tasks: [{ a: 1 }] }),
    anybody('/acme/jobs/hooked/later', { tasks: [{ a: 1 }] }),
    anybody('/acme/jobs/hooked/closed', { tasks: [{ a: 1 }] }),
    anybody('/acme/jobs/hooked', { tasks: [{ a: 1 }] }),
    anybody('/acme/jobs/none/open', { tasks: [{ a: 1 }] }),
    anybody('/acme/jobs/hooked/executions', { tasks: [{ a: 1 }] }),
  ])

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401, 401, 401])
  expect(answers[0]?.body.status).toBe('succeeded')
  const sql = `select distinct actor_label as label from audit_events where resource_name like 'hooked/%'`
  expect((await world.platform.pool.query(sql)).rows).toEqual([{ label: 'public trigger' }])
})

test('a public request sends only tasks', async () => {
  await world.job('plain', { image: 'local/echo' }, { triggers: [trigger('public')] })

  const answers = await Promise.all(
    [{ env: { API_URL: 'https://other.example' } }, { memory: 1 }, { id: 'chosen' }].map((more) =>
      anybody('/acme/jobs/plain', { tasks: [{}], ...more }),
    ),
  )

  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
})

test.each([
  ['1,001 tasks', { tasks: Array(1_001).fill({}) }, 400],
  ['a body of more than 1 MB', { tasks: [{ text: 'x'.repeat(1024 * 1024) }] }, 413],
])('a public request cannot send %s', async (_what, body, status) => {
  const name = `small-${status}`
  await world.job(name, { image: 'local/echo' }, { triggers: [trigger('public')] })

  expect((await anybody(`/acme/jobs/${name}`, body)).status).toBe(status)
})

test('an invalid credential is not ignored at a public trigger', async () => {
  await world.job('strict', { image: 'local/echo' }, { triggers: [trigger('public')] })

  const answer = await anybody('/acme/jobs/strict', { tasks: [{}] }).set('authorization', 'Bearer wrong')

  expect(answer.status).toBe(401)
})

test('a disabled trigger is not public', async () => {
  const triggers = [{ ...trigger('public'), enabled: false }]
  await world.job('off', { image: 'local/echo' }, { triggers })

  expect((await anybody('/acme/jobs/off', { tasks: [{}] })).status).toBe(401)
})

test.each([
  ['/acme/agents/open/hook', 200],
  ['/acme/agents/open/hook?a=b', 200],
  ['/acme/agents/open/admin', 401],
  ['/acme/agents/open/%68ook', 401],
  ['/acme/agents/open', 401],
  ['/acme/agents/whole/anything', 200],
  ['/acme/agents/whole?async=true', 401],
  ['/acme/agents/mixed', 401],
  ['/acme/agents/mixed/%61dmin', 401],
  ['/acme/agents/none/hook', 401],
])('%s of an agent returns %i without a credential', async (path, status) => {
  await agents

  expect((await anybody(path, { inputs: 'hello' })).status).toBe(status)
})

test('a thread needs a credential, also at a public trigger', async () => {
  await agents

  const answer = await anybody('/acme/agents/whole', { inputs: 'hello' }).set('X-Service-Thread-Id', 'thread')

  expect(answer.status).toBe(401)
})

const agent = async (name: string, triggers: object[]) => {
  await createResource(world.api, 'agents', name, { runtime: { image: 'local/echo' }, triggers })
}
const agents = Promise.all([
  agent('open', [trigger('public', '/hook'), trigger('private', '/admin')]),
  agent('whole', [trigger('public')]),
  agent('mixed', [trigger('public'), trigger('private', '/admin')]),
])
