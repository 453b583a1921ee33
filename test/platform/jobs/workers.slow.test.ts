import { afterEach, beforeEach, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { startPlatformProcess } from '../../support/processes/platform-process.ts'
import { type JobWorld, jobWorld } from '../../support/worlds/job-world.ts'

let world: JobWorld

beforeEach(async () => {
  world = await jobWorld({ env: { JOB_TASKS: '0' } })
})
afterEach(() => world.close())

const worker = () => startPlatformProcess(world.platform, { RUNTIMES_FILE: world.runtimesFile, JOB_TASKS: '6' })

test('randomly failing tasks on killed workers all end, with correct counts and within their retries', async () => {
  const count = 60
  const maxRetries = 20
  await world.job('flaky', { image: 'test/flaky', maxRetries })
  const workers = await Promise.all([worker(), worker()])

  const id = await world.start('flaky', { tasks: Array.from({ length: count }, () => ({})), parallelism: 100 })
  for (const [at, size] of [20, 45].entries()) {
    await until(() => world.marks().length >= size)
    await workers[at]!.kill()
    workers[at] = await worker()
  }
  const done = await world.over('flaky', id, 140_000)
  await Promise.all(workers.map(({ stop }) => stop()))

  const runs = world.marks().length
  expect(done).toMatchObject({ status: 'succeeded', stats: { total: count, success: count, failure: 0, running: 0 } })
  expect(new Set(world.marks()).size).toBe(runs)
  // A task that was taken and not begun when its worker died leaves no mark, so marks can be fewer than attempts.
  expect(runs).toBeLessThanOrEqual(count + done.stats.retried)
  expect(Math.max(...world.marks().map((line) => Number(line.split(' ')[2])))).toBeLessThanOrEqual(maxRetries + 1)
}, 150_000)

test('a task at its last attempt whose worker is killed is not rerun', async () => {
  await world.job('last', { image: 'test/slow', maxRetries: 0 })
  const first = await worker()
  const id = await world.start('last', { tasks: [{}] })
  await until(() => world.marks().length === 1)

  await first.kill()
  const second = await worker()
  const done = await world.over('last', id, 60_000)
  await second.stop()

  expect(done).toMatchObject({ status: 'failed', stats: { failure: 1, retried: 0 } })
  expect(world.marks()).toHaveLength(1)
  expect(done.tasks[0].conditions[1].message).toBe('The worker was lost.')
}, 120_000)

test("the processes of a killed worker's tasks end, with their child processes", async () => {
  await world.job('family', { image: 'test/family', maxRetries: 0 })
  const first = await worker()
  await world.start('family', { tasks: [{}] })
  await waitFor('the task and its child run', () => world.marks().length === 1 && world.children().length === 1)

  await first.kill()

  await waitFor('it is gone', () => world.children().length === 0)
})

test('child processes that a task leaves running end with it', async () => {
  await world.job('leaves', { image: 'test/leaves' })
  const only = await worker()

  const id = await world.start('leaves', { tasks: [{}] })
  const done = await world.over('leaves', id)
  const { body } = await world.api.get(`/v0/jobs/leaves/executions/${id}/tasks/${id}-0/output`)
  await only.stop()

  expect(done.status).toBe('succeeded')
  expect(body.output).toBe('begun\n')
  await waitFor('it is gone', () => world.children().length === 0)
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50))
}
