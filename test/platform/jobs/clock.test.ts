// Jobs that a clock starts.
import { afterAll, expect, test } from 'vitest'
import { createLog } from '../../../src/kit/process/log.ts'
import type { Job } from '../../../src/platform/jobs/domain/execution.ts'
import { fireTriggers } from '../../../src/platform/jobs/flows/fire-triggers.ts'
import { platformEvents } from '../../../src/platform/shared/domain/log-events.ts'
import { startUpstream } from '../../support/doubles/upstream.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type JobWorld, jobWorld } from '../../support/worlds/job-world.ts'

let ahead = 0

const receiver = await startUpstream()
const world = await jobWorld({
  env: { EGRESS_ALLOW: new URL(receiver.url).host },
  adapters: { now: () => new Date(Date.now() + ahead) },
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

const every = (schedule: string, more: object = {}) => ({
  triggers: [{ type: 'cron', configuration: { schedule, tasks: [{ n: 1 }], ...more } }],
})

const executionsOf = async (job: string) => (await world.api.get(`/v0/jobs/${job}/executions`)).body.data

test('a cron trigger starts one execution when due, and calls its callback', async () => {
  const inAnHour = new Date(Date.now() + 3_600_000)
  // Not every minute: the next one may begin during the test.
  const schedule = `${inAnHour.getUTCMinutes()} ${inAnHour.getUTCHours()} * * *`
  await world.job('clocked', { image: 'local/echo' }, every(schedule, { callbackUrl: `${receiver.url}/callback` }))
  ahead = 3_600_000

  const [execution] = await waitFor('the clock started it', async () => {
    const found = await executionsOf('clocked')
    return found.length > 0 && found
  })

  const told = await waitFor('its callback was told', () => receiver.state.callbacks[0])
  expect(execution.stats.total).toBe(1)
  expect(JSON.parse(JSON.parse(told.body).response_body).executionId).toBe(execution.metadata.id)
  const { body } = await world.api.get('/v0/audit?limit=1')
  expect(body.data[0]).toMatchObject({
    action: 'execution.started',
    actor: { kind: 'platform', name: 'schedule' },
    resource: { name: `clocked/${execution.metadata.id}` },
  })
})

test('one of several processes starts a due trigger, also if one died before it recorded the start', async () => {
  await world.job('contended', { image: 'local/echo' })
  const job = await found('contended')
  const { executions } = world.platform.adapters
  const unwritten = { ...executions, noteFire: async () => {} }

  await Promise.all(Array.from({ length: 5 }, () => fires([job], unwritten)()))
  await Promise.all(Array.from({ length: 5 }, () => fires([job], executions)()))

  expect(await executionsOf('contended')).toHaveLength(1)
})

test.each([
  ['no tasks', []],
  ['an id already used for other tasks', [{ n: 2 }]],
])('a trigger with %s fires once and is not retried', async (what, tasks) => {
  const name = `settled-${tasks.length}`
  await world.job(name, { image: 'local/echo' })
  const job = await found(name)
  const [trigger] = job.triggers as [Job['triggers'][0]]
  const asked = { ...job, triggers: [{ ...trigger, configuration: { ...trigger.configuration, tasks } }] }
  const { executions } = world.platform.adapters
  if (what.startsWith('an id')) await world.start(name, { id: 'cron-0-202601010000', tasks: [{ n: 3 }] })

  await fires([asked], executions)()
  const isNoted = await executions.hasFired(job.uid, 0, new Date('2026-01-01T00:00:00Z'))

  expect(isNoted).toBe(true)
  expect(await executionsOf(name)).toHaveLength(1)
})

test('a job that fails to start does not block other jobs', async () => {
  await world.job('punctual', { image: 'local/echo' })
  const stopped = { ...(await found('punctual')), uid: 'none', name: 'none' }

  await fires([stopped, await found('punctual')], world.platform.adapters.executions)()

  expect(await executionsOf('punctual')).toHaveLength(1)
})

test.each(['* * * *', '61 * * * *', ''])(
  'a job with the schedule %j becomes FAILED with the reason',
  async (schedule) => {
    const name = `odd-${schedule.length}`
    await world.job(name, { image: 'local/echo' }, every(schedule))

    const failed = await waitFor('it failed', async () => {
      const { body } = await world.api.get(`/v0/jobs/${name}`)
      return body.status === 'FAILED' && body
    })

    expect(failed.events.at(-1).message).toContain(`The schedule "${schedule}" is invalid`)
  },
)

/** As the clock would find it a minute after every minute. */
async function found(name: string): Promise<Job> {
  const { rows } = await world.platform.pool.query(`select id from resources where kind = 'job' and name = $1`, [name])
  const { triggers } = every('* * * * *')
  return {
    uid: rows[0].id,
    workspace: 'acme',
    name,
    status: 'DEPLOYED',
    image: 'local/echo',
    memoryMb: 1,
    maxRetries: 0,
    timeoutSeconds: 10,
    envs: { reveal: () => ({}) } as Job['envs'],
    plainEnvs: [],
    functions: [],
    temporary: [],
    triggers: triggers.map((trigger) => ({ ...trigger, enabled: true })),
    updatedAt: new Date(0),
  }
}

function fires(jobs: Job[], executions: JobWorld['platform']['adapters']['executions']) {
  const find = async (_: string, name: string) => jobs.find((job) => job.name === name && job.uid !== 'none')
  return fireTriggers({
    jobs: { find, withSchedules: async () => jobs },
    executions,
    log: createLog('test', 'silent', platformEvents),
    now: () => new Date('2026-01-01T00:00:30Z'),
  })
}
