// Jobs and sandboxes of the platform on Docker's API and on Kubernetes: what tenants see, and what is left there.
import { randomUUID } from 'node:crypto'
import request from 'supertest'
import { afterAll, describe, expect, test } from 'vitest'
import { waitFor as waitBriefly } from '../support/oracles/wait-for.ts'
import { jobWorld } from '../support/worlds/job-world.ts'
import { createResource, replaceResource } from '../support/worlds/platform-world.ts'

const {
  ENGINE_URL,
  DOCKER_HOST,
  KUBECONFIG,
  WORKLOAD_IMAGE: image = '',
  SERVER_IMAGE: server = '',
  TASK_IMAGE,
} = process.env

const publicUrl = `http://${randomUUID()}.localhost`
const jobs = await jobWorld({
  env: { ENGINE_URL: ENGINE_URL ?? DOCKER_HOST, ENGINE_IMAGES: '*', KUBECONFIG, PUBLIC_URL: publicUrl },
})
const { platform: world, api } = jobs
const { containers } = world.adapters.engine
if (!containers) throw new Error('no containers')

afterAll(async () => {
  await jobs.close()
  for (const found of await containers.list()) await containers.remove(found)
})

const waitFor: typeof waitBriefly = (what, ask) => waitBriefly(what, ask, { withinMs: 60_000 })

const settled = (path: string) =>
  waitFor(`${path} is settled`, async () => {
    const { body } = await api.get(`/v0/${path}`)
    return body.status === 'DEPLOYING' ? undefined : body
  })

async function call(sandbox: string, name: string, args: object) {
  const { body } = await request(world.app)
    .post(`/acme/sandboxes/${sandbox}/mcp`)
    .set({ 'X-Service-Authorization': `Bearer ${world.admin.key}`, Accept: 'application/json, text/event-stream' })
    .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
  const { content, isError } = body.result
  return { text: content[0].text as string, isError: isError as boolean }
}
const run = async (sandbox: string, command: string) =>
  JSON.parse((await call(sandbox, 'run_command', { command })).text)

const kept = async () => (await containers.list()).filter(({ kind }) => kind === 'kept')

test('a sandbox runs its image, with one view of its files', async () => {
  await createResource(api, 'sandboxes', 'box', {
    runtime: { image, memory: 256, envs: [{ name: 'GREETING', value: 'hello' }] },
  })
  const { status } = await settled('sandboxes/box')

  const ran = await run('box', 'echo "$GREETING $SANDBOX"; echo "by command" > ~/a.txt; exit 3')
  const written = await call('box', 'write_file', { path: '/home/user/notes/b.txt', content: 'by tool' })
  const read = await run('box', 'cat ~/notes/b.txt')
  const listed = JSON.parse((await call('box', 'list_directory', { path: '/home/user' })).text)
  const file = await call('box', 'read_file', { path: '/home/user/a.txt' })
  const missing = await call('box', 'read_file', { path: '/home/user/none' })
  const { body: tree } = await api.get('/acme/sandboxes/box/filesystem/tree/home')
  const closed = await call('box', 'write_file', { path: '/srv/x', content: 'x' })
  await call('box', 'delete_path', { path: '/home/user/notes' })

  expect(status).toBe('DEPLOYED')
  expect(ran).toEqual({ stdout: 'hello box\n', stderr: '', exitCode: 3 })
  expect([written.isError, read.stdout, file.text]).toEqual([false, 'by tool', 'by command\n'])
  expect(listed).toMatchObject({ files: [{ name: 'a.txt', size: 11 }], subdirectories: [{ name: 'notes' }] })
  expect(tree.subdirectories[0]).toMatchObject({ path: '/home/user', files: [{ name: 'a.txt' }] })
  expect([missing, closed]).toEqual([
    { text: 'File or folder not found.', isError: true },
    { text: 'The file or folder cannot be opened.', isError: true },
  ])
  expect((await run('box', 'ls ~')).stdout).toBe('a.txt\n')
})

test('a container that ends is started again, with its files', async () => {
  const [before] = await kept()
  await containers.stop(before!.id)

  await waitFor('it runs again', async () => (await kept())[0]?.isRunning)

  expect((await run('box', 'cat ~/a.txt')).stdout).toBe('by command\n')
})

test('a disabled sandbox has no running container, and keeps its files', async () => {
  const spec = { runtime: { image, memory: 256 } }
  await api
    .put('/v0/sandboxes/box')
    .send({ metadata: { name: 'box' }, spec: { ...spec, enabled: false } })
    .expect(200)
  await waitFor('it is stopped', async () => (await kept())[0]?.isRunning === false)

  await api
    .put('/v0/sandboxes/box')
    .send({ metadata: { name: 'box' }, spec: { ...spec, enabled: true } })
    .expect(200)
  await settled('sandboxes/box')

  expect((await run('box', 'cat ~/a.txt')).stdout).toBe('by command\n')
})

test('a deleted sandbox leaves nothing on the engine, and neither does one whose row is gone', async () => {
  await containers.keep({ id: randomUUID(), image, memoryMb: 128 })

  await api.delete('/v0/sandboxes/box').expect(200)

  await waitFor('nothing is left', async () => (await kept()).length === 0)
})

test('an unknown image is FAILED, with its reason', async () => {
  const unknown = 'localhost/no-such-image:1'
  await createResource(api, 'sandboxes', 'lost', { runtime: { image: unknown, memory: 128 } })
  await createResource(api, 'jobs', 'lost', { runtime: { image: unknown, memory: 128 } })

  for (const path of ['sandboxes/lost', 'jobs/lost']) {
    const { status, events } = await settled(path)
    expect([status, events.at(-1).message]).toEqual(['FAILED', expect.stringContaining(unknown)])
  }
})

test('each task of a job runs in a container of its own, which is gone afterwards', async () => {
  await jobs.job('batch', { image: process.env.TASK_IMAGE ?? '', memory: 128 })
  const id = await jobs.start('batch', { tasks: [{ n: 1 }, { n: 2 }] })
  const done = await jobs.over('batch', id)

  const outputs = await Promise.all(
    [0, 1].map(async (at) => (await api.get(`/v0/jobs/batch/executions/${id}/tasks/${id}-${at}/output`)).body.output),
  )

  expect(done.status).toBe('succeeded')
  expect(outputs).toEqual(['task 0: {"n":1}\n', 'task 1: {"n":2}\n'])
  expect((await containers.list()).filter(({ kind }) => kind === 'run')).toEqual([])
})

describe.skipIf(server === '')('an image of an agent or a model', () => {
  const ask = (path: string, body: object = { inputs: 'hello' }) =>
    request(world.app).post(path).set('X-Service-Authorization', `Bearer ${world.admin.key}`).send(body)
  const runtime = {
    image: server,
    memory: 128,
    envs: [{ name: 'GREETING', value: 'CANARY-greeting', secret: true }],
    ports: [{ target: 3_000 }],
  }
  const runs = async () => (await kept()).filter(({ isRunning }) => isRunning).length

  test('runs, with its variables and its port', async () => {
    const before = await runs()
    await createResource(api, 'agents', 'server', { runtime })
    await createResource(api, 'models', 'server', { runtime: { ...runtime, ports: [] } })
    const [agent, model] = [await settled('agents/server'), await settled('models/server')]

    const answer = await ask('/acme/agents/server')
    const below = await ask('/acme/models/server/v1/chat?a=b')

    expect([agent.status, model.status]).toEqual(['DEPLOYED', 'DEPLOYED'])
    expect(answer.body).toEqual({
      greeting: 'CANARY-greeting',
      method: 'POST',
      url: '/',
      body: JSON.stringify({ inputs: 'hello' }),
    })
    expect(below.body).toMatchObject({ greeting: 'CANARY-greeting', url: '/v1/chat?a=b' })
    expect(await runs()).toBe(before + 2)
  })

  test('is started again when it ends, and with other variables after a change', async () => {
    await ask('/acme/agents/server/exit').catch(() => undefined)
    await waitFor('it answers again', async () => (await ask('/acme/agents/server')).status === 200)
    const envs = [{ name: 'GREETING', value: 'changed' }]
    await replaceResource(api, 'agents', 'server', { runtime: { ...runtime, envs } })
    await settled('agents/server')

    expect((await ask('/acme/agents/server')).body.greeting).toBe('changed')
  })

  test('is replaced without a failed request, divided, and rolled back', async () => {
    const spec = (greeting: string, revision?: object) => ({
      runtime: { ...runtime, envs: [{ name: 'GREETING', value: greeting }] },
      revision,
    })
    const greetings = async (count: number) => {
      const all: string[] = []
      for (let at = 0; at < count; at++) all.push((await ask('/acme/agents/server').expect(200)).body.greeting)
      return new Set(all)
    }
    const [{ id: changed }] = (await api.get('/v0/agents/server/revisions')).body
    await replaceResource(api, 'agents', 'server', spec('newer'))
    const meanwhile: string[] = []
    while ((await api.get('/v0/agents/server')).body.status === 'DEPLOYING')
      meanwhile.push((await ask('/acme/agents/server').expect(200)).body.greeting)

    const afterwards = await greetings(3)
    await replaceResource(api, 'agents', 'server', spec('newer', { canary: changed, canaryPercent: 50 }))
    const divided = await greetings(30)
    await replaceResource(api, 'agents', 'server', spec('newer', { active: changed }))
    const rolledBack = await greetings(3)

    // The deployment may end before the last request.
    expect(meanwhile.slice(0, -1).filter((greeting) => greeting !== 'changed')).toEqual([])
    expect([afterwards, divided, rolledBack]).toEqual(
      [['newer'], ['changed', 'newer'], ['changed']].map((each) => new Set(each)),
    )
  })

  test('is stopped when it is idle, and the next request starts it', async () => {
    const { rows } = await world.pool.query(`update container_uses set used_at = now() - interval '1 day' returning id`)
    const ids = rows.map(({ id }) => id as string)
    const isRunning = async () => (await kept()).some((each) => ids.includes(each.id) && each.isRunning)
    await waitFor('all are stopped', async () => !(await isRunning()))

    // A use a moment ago would have kept it from being stopped, so the first request may not look.
    let startedAt = 0
    await waitFor('it answers', async () => {
      startedAt = performance.now()
      return (await ask('/acme/agents/server')).status === 200
    })
    process.stderr.write(`A stopped agent answered after ${Math.round(performance.now() - startedAt)} ms.\n`)

    expect(await isRunning()).toBe(true)
  })

  test('has more containers under load, at most as many as it may', async () => {
    await createResource(api, 'agents', 'scaled', { runtime: { ...runtime, maxScale: 2 } })
    await settled('agents/scaled')
    const before = await runs()

    const slow = Array.from({ length: 30 }, () => ask('/acme/agents/scaled/slow').expect(200))
    await Promise.all(slow.slice(0, 15))
    await Promise.all([...slow, ...Array.from({ length: 20 }, () => ask('/acme/agents/scaled/slow').expect(200))])

    expect(await runs()).toBe(before + 1)
    await api.delete('/v0/agents/scaled').expect(200)
  })

  test('of a function gets its messages, and has sessions', async () => {
    await createResource(api, 'functions', 'server', { runtime })
    await settled('functions/server')
    const [{ id }] = (await api.get('/v0/functions/server/revisions')).body

    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const answer = await ask('/acme/functions/server/mcp', message).expect(200)
    const session = answer.headers['mcp-session-id']
    const again = await ask('/acme/functions/server/mcp', message).set('Mcp-Session-Id', session ?? '')

    expect([answer.body.url, answer.body.body]).toEqual(['/mcp', JSON.stringify(message)])
    expect([session, again.status]).toEqual([`${id}.session`, 200])
    await api.delete('/v0/functions/server').expect(200)
  })

  test('is removed with its resource', async () => {
    await api.delete('/v0/agents/server').expect(200)
    await api.delete('/v0/models/server').expect(200)

    await waitFor('no container is left', async () => (await kept()).length === 0)
  })

  test('that does not listen is FAILED, with the reason', { timeout: 120_000 }, async () => {
    await createResource(api, 'agents', 'deaf', { runtime: { ...runtime, image: TASK_IMAGE, ports: [] } })

    const { status, events } = await waitBriefly(
      'its deployment is over',
      async () => {
        const { body } = await api.get('/v0/agents/deaf')
        return body.status !== 'DEPLOYING' && body
      },
      { withinMs: 110_000 },
    )

    expect([status, events.at(-1).message]).toEqual(['FAILED', expect.stringContaining('did not listen at port 8080')])
  })
})
