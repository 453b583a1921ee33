// Inputs and limits of commands.
import { afterAll, expect, test } from 'vitest'
import { createLog } from '../../../src/kit/process/log.ts'
import type { LeasedTask, TaskQueue } from '../../../src/platform/jobs/domain/ports.ts'
import { startWorker } from '../../../src/platform/jobs/flows/work.ts'
import { platformEvents } from '../../../src/platform/shared/domain/log-events.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { jobWorld } from '../../support/worlds/job-world.ts'

const world = await jobWorld()
afterAll(() => world.close())

test('a task ends together with a daemon that left its group', async () => {
  await world.job('escapes', { image: 'test/escapes' })

  const id = await world.start('escapes', { tasks: [{}] })
  const done = await world.over('escapes', id)
  const { body } = await world.api.get(`/v0/jobs/escapes/executions/${id}/tasks/${id}-0/output`)

  expect([done.status, body.output]).toEqual(['succeeded', 'begun\n'])
  await waitFor('the daemon is gone', () => world.children().length === 0)
})

test('S1: rejects variables that make a loader or interpreter run other code, by name', async () => {
  await world.job('loaders', { image: 'test/env' })
  const start = (env: Record<string, string>) =>
    world.api.post('/v0/jobs/loaders/executions').send({ tasks: [{}], env })

  const refused = await Promise.all(
    ['NODE_OPTIONS', 'LD_PRELOAD', 'ld_library_path', 'PATH', 'BASH_ENV', 'PYTHONSTARTUP', 'JAVA_TOOL_OPTIONS'].map(
      (name) => start({ GREETING: 'hello', [name]: 'x' }),
    ),
  )
  const taken = await start({ NODE_ENV: 'production', GREETING: 'hello' })

  expect(refused.map(({ status }) => status)).toEqual(Array(7).fill(400))
  expect(JSON.stringify(refused[0]?.body)).toContain("NODE_OPTIONS can't be set")
  expect(taken.status).toBe(200)
})

test('a task has the volumes of its job as empty folders, with their sizes', async () => {
  const volumes = [
    { name: 'work', mountPath: '/scratch', type: 'ephemeral', sizeMb: 2 },
    { name: 'fixed', mountPath: '/fixed', readOnly: true },
  ]
  await world.job('with-volumes', { image: 'test/script' }, { volumes })
  const script = 'ls -A /scratch /fixed; df -k --output=size /scratch /fixed; touch /fixed/x || echo fixed'

  const id = await world.start('with-volumes', { tasks: [{ script }] })
  await world.over('with-volumes', id)
  const { body } = await world.api.get(`/v0/jobs/with-volumes/executions/${id}/tasks/${id}-0/output`)

  expect(body.output.split(/\s+/).filter((word: string) => /^(\d+|fixed|.*:)$/.test(word))).toEqual(
    expect.arrayContaining(['/scratch:', '/fixed:', '2048', '65536', 'fixed']),
  )
})

test.each([
  [{ name: 'lost' }, 'The mountPath of the volume lost'],
  [{ name: 'system', mountPath: '/usr/x' }, 'must not be in a folder of the system'],
  [{ name: 'inner', mountPath: '/tmp/x/y' }, 'must not be inside or around /tmp'],
  [{ name: 'around', mountPath: '//home/' }, 'must not be inside or around /home/user'],
  [{ name: 'nested', mountPath: 'data/x/y' }, 'must not be inside or around /data'],
  [{ name: 'again', mountPath: 'data' }, 'is the mountPath of another volume'],
])('a job with the volume %j is FAILED, with the reason', async (volume, reason) => {
  const volumes = [{ name: 'data', mountPath: '/data/' }, volume]
  await world.job(`with-${volume.name}`, { image: 'test/script' }, { volumes })

  const body = await waitFor('its deployment is over', async () => {
    const answer = await world.api.get(`/v0/jobs/with-${volume.name}`)
    return answer.body.status !== 'DEPLOYING' && answer.body
  })

  expect([body.status, body.events.at(-1).message]).toEqual(['FAILED', expect.stringContaining(reason)])
})

test('S1: a task sees no variables, keys or processes of the platform', async () => {
  await world.job('looks', { image: 'test/looks' })

  const id = await world.start('looks', { tasks: [{}] })
  await world.over('looks', id)
  const { body } = await world.api.get(`/v0/jobs/looks/executions/${id}/tasks/${id}-0/output`)

  expect(body.output).not.toMatch(/ENCRYPTION_KEYS|DATABASE_URL|postgres:/)
  expect(body.output).toContain('own TASK_INDEX')
})

test('T17: a path among the arguments of a command exposes nothing of the machine', async () => {
  await world.job('arguments', { image: 'test/arguments' })

  const id = await world.start('arguments', { tasks: [{}] })
  await world.over('arguments', id)
  const { body } = await world.api.get(`/v0/jobs/arguments/executions/${id}/tasks/${id}-0/output`)

  expect(body.output).toContain(`cannot access '${world.runtimesFile}'`)
  expect(body.output).not.toMatch(/^(root|var|boot)$/m)
})

test('arguments that are too long for a variable are only on stdin', async () => {
  await world.job('size', { image: 'test/size' })
  const task = { text: 'x'.repeat(300_000) }

  const id = await world.start('size', { tasks: [task] })
  await world.over('size', id)
  const { body } = await world.api.get(`/v0/jobs/size/executions/${id}/tasks/${id}-0/output`)

  expect(body.output.trim().split(/\s*\n/)).toEqual([String(JSON.stringify(task).length), 'no variable'])
})

test('a task that the system cannot start fails and releases its lease', async () => {
  const envs = Array.from({ length: 6 }, (_, at) => ({ name: `V${at}`, value: 'x'.repeat(32_000) }))
  await world.job('refused', { image: 'test/env', envs })
  const env = { LONG: 'x'.repeat(200_000) }

  const id = await world.start('refused', { tasks: [{}], env })
  const done = await world.over('refused', id)

  expect(done).toMatchObject({ status: 'failed', stats: { failure: 1, running: 0 } })
  expect(done.tasks[0].conditions[1].message).toBe('The command could not be started.')
})

test('a job of an image with a URL and no command becomes FAILED with the reason', async () => {
  await world.job('address', { image: 'test/address' })

  const { body } = await waitFor('the walk ended', async () => {
    const answer = await world.api.get('/v0/jobs/address')
    return answer.body.status !== 'DEPLOYING' && answer
  })
  const started = await world.api.post('/v0/jobs/address/executions').send({ tasks: [{}] })

  expect([body.status, body.events.at(-1).message]).toEqual([
    'FAILED',
    'The image test/address has no command: add one to the runtimes file, or use local/echo.',
  ])
  expect(started.status).toBe(409)
})

test('the lease of a task whose result could not be stored is not renewed', async () => {
  const task = { execution: 'e', index: 0, attempt: 1, memoryMb: 1 } as LeasedTask
  const renewed: number[] = []
  const waiting = [task]
  const queue: TaskQueue = {
    claim: async () => waiting.splice(0),
    renew: async (_, tasks) => {
      renewed.push(tasks.length)
      return new Set(['e/0/1'])
    },
    finish: () => Promise.reject(new Error('the store is away')),
    reap: async () => {},
    leased: async () => new Set(),
  }
  let end = () => {}
  const runTask = () =>
    new Promise<{ state: 'succeeded'; reason: string; output: string }>((resolve) => {
      end = () => resolve({ state: 'succeeded', reason: '', output: '' })
    })
  const executions = { settle: async () => {} }
  const worker = startWorker(
    { queue, executions, runTask, log: createLog('test', 'silent', platformEvents), now: () => new Date() },
    { atATime: 1, perWorkspace: 1 },
  )

  await worker.take()
  await worker.tend()
  end()
  await waitFor('it is let go', async () => {
    await worker.tend()
    return renewed.at(-1) === 0
  })
  await worker.stop()

  expect(renewed[0]).toBe(1)
})
