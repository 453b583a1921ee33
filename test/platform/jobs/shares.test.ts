// S10: a workspace can't use up shared capacity.

import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { jobWorld } from '../../support/worlds/job-world.ts'
import { createResource } from '../../support/worlds/platform-world.ts'

const world = await jobWorld({ env: { JOB_TASKS: '4' } })
afterAll(() => world.close())

test('S10: a workspace with long tasks leaves room for the tasks of others', async () => {
  await world.job('slow', { image: 'test/slow', timeout: 600 })
  const slow = await world.start('slow', { tasks: Array.from({ length: 12 }, () => ({})), parallelism: 12 })
  await waitFor('its share is taken', () => world.marks().length === 2)
  const other = world.platform.as(await world.platform.enter('other', 'user@other.example'))
  await createResource(other, 'jobs', 'quick', { runtime: { image: 'local/echo' } })

  const { body } = await other
    .post('/v0/jobs/quick/executions')
    .send({ tasks: [{}, {}, {}] })
    .expect(200)
  await waitFor('the other workspace is served', async () => {
    const { status } = (await other.get(`/v0/jobs/quick/executions/${body.id}`)).body
    return status === 'succeeded'
  })

  expect((await world.read('slow', slow)).stats).toMatchObject({ running: 2, success: 0 })
})
