// Every status of an execution.
import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { jobWorld } from '../../support/worlds/job-world.ts'

const world = await jobWorld()

afterAll(() => world.close())

const statusOf = async (job: string, id: string, from = world) => (await from.read(job, id)).status
const reaches = (status: string, job: string, id: string) =>
  waitFor(`it is ${status}`, async () => (await statusOf(job, id)) === status && status)

test('an execution without a worker is queued', async () => {
  const idle = await jobWorld({ env: { JOB_TASKS: '0' } })
  await idle.job('waits', { image: 'test/mark' })

  const status = await statusOf('waits', await idle.start('waits', { tasks: [{}] }), idle)
  await idle.close()

  expect(status).toBe('queued')
})

test.each([
  ['succeeded', { image: 'test/mark' }],
  ['failed', { image: 'test/fail' }],
  ['timeout', { image: 'test/slow', timeout: 1 }],
])('an execution ends %s with its task', async (status, runtime) => {
  await world.job(`ends-${status}`, runtime)

  const done = await world.over(`ends-${status}`, await world.start(`ends-${status}`, { tasks: [{}] }))

  expect([done.status, done.stats.total]).toEqual([status, 1])
  expect(done.metadata.completedAt).not.toBe('')
})

test('an execution is running, then cancelling while a task still runs, then cancelled', async () => {
  await world.job('stopped', { image: 'test/held' })
  const id = await world.start('stopped', { tasks: [{}, {}], parallelism: 1 })

  const running = await reaches('running', 'stopped', id)
  const { body } = await world.api.delete(`/v0/jobs/stopped/executions/${id}`)
  const meanwhile = await statusOf('stopped', id)
  world.release(id)
  const done = await world.over('stopped', id)

  expect([running, body.status, meanwhile, done.status]).toEqual(['running', 'cancelling', 'cancelling', 'cancelled'])
  expect(done.stats).toMatchObject({ success: 1, cancelled: 1 })
})
