import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

const spec = {
  enabled: true,
  region: 'local',
  policies: ['p1'],
  githubRunner: { repositories: 'acme/files' },
  revision: { active: 'r2', canary: 'r3', canaryPercent: 10, stickySessionTtl: 60, traffic: 90 },
  runtime: {
    diskPercent: 60,
    envs: [
      { name: 'OPEN', value: 'seen', secret: false },
      { name: 'HIDDEN', value: 'CANARY-env', secret: true },
    ],
    generation: 'mk2',
    image: 'local/echo',
    maxRetries: 2,
    memory: 1024,
    ports: [{ target: 80, name: 'web', protocol: 'HTTP' }],
    timeout: 60,
  },
  triggers: [
    {
      id: 't1',
      type: 'cron',
      enabled: true,
      configuration: {
        authenticationType: 'private',
        callbackSecret: 'CANARY-callback',
        callbackUrl: 'https://acme.example/done',
        path: '/run',
        retry: 1,
        schedule: '0 * * * *',
        tasks: [{ file: 'a' }],
        timeout: 5,
      },
    },
  ],
  volumes: [{ mountPath: '/tmp/x', name: 'scratch', sizeMb: 10, type: 'ephemeral', readOnly: false }],
}

const masked = (whole: typeof spec) => {
  const copy = structuredClone(whole)
  copy.runtime.envs[1]!.value = '********'
  copy.triggers[0]!.configuration.callbackSecret = '********'
  return copy
}

test('a job stores all fields of the interface and returns its secrets masked', async () => {
  const created = await api.post('/v0/jobs').send({ metadata: { name: 'whole' }, spec })
  const read = await api.get('/v0/jobs/whole')

  expect(created.status).toBe(200)
  expect(created.body.spec).toEqual(masked(spec))
  expect(read.body.spec).toEqual(masked(spec))
})

test('an admin sees secrets with show_secrets, a member gets 403 and a masked document without it', async () => {
  await createResource(api, 'jobs', 'secret', spec)
  const member = world.as(await world.join('acme', 'user@acme.example', 'member'))

  const shown = await api.get('/v0/jobs/secret?show_secrets=true')
  const refused = await member.get('/v0/jobs/secret?show_secrets=true')
  const plain = await member.get('/v0/jobs/secret?show_secrets=false')

  expect(shown.body.spec).toEqual(spec)
  expect(refused.status).toBe(403)
  expect(JSON.stringify([refused.body, plain.body])).not.toContain('CANARY')
  expect(plain.status).toBe(200)
})

test('an unchanged update of a masked job keeps its secrets', async () => {
  const { body } = await api.post('/v0/jobs').send({ metadata: { name: 'kept' }, spec })

  await api.put('/v0/jobs/kept').send(body).expect(200)

  const shown = await api.get('/v0/jobs/kept?show_secrets=true')
  expect(shown.body.spec).toEqual(spec)
})

test('P4: a trigger with a callback and no secret gets a new one, which is shown once', async () => {
  const callback = (id: string) => ({ id, type: 'http', configuration: { callbackUrl: 'https://acme.example/done' } })
  const send = (triggers: object[]) => ({ metadata: { name: 'signed' }, spec: { triggers } })
  const secrets = (body: { spec: { triggers: Array<{ configuration: { callbackSecret?: string } }> } }) =>
    body.spec.triggers.map(({ configuration }) => configuration.callbackSecret)
  const silent = { id: 'silent', type: 'http', configuration: { path: 'a' } }

  const created = await api.post('/v0/jobs').send(send([callback('t1'), silent]))
  const read = await api.get('/v0/jobs/signed')
  const unchanged = await api.put('/v0/jobs/signed').send(read.body)
  const added = await api.put('/v0/jobs/signed').send(send([callback('t2'), callback('t1')]))
  const inClear = await api.get('/v0/jobs/signed?show_secrets=true')

  const [first] = secrets(created.body)
  const [second] = secrets(added.body)
  expect([first, second]).toEqual([expect.stringMatching(/^.{43}$/), expect.stringMatching(/^.{43}$/)])
  expect(secrets(created.body)[1]).toBeUndefined()
  expect([secrets(read.body)[0], secrets(unchanged.body)[0], secrets(added.body)[1]]).toEqual(Array(3).fill('********'))
  expect(secrets(inClear.body)).toEqual([second, first])
})

test('a mask keeps the secret of its own variable and trigger, even if the lists are reordered', async () => {
  const secretEnv = (name: string) => ({ name, value: `CANARY-${name}`, secret: true })
  const trigger = (id: string) => ({ id, type: 'http', configuration: { callbackSecret: `CANARY-${id}` } })
  const { body } = await createResource(api, 'jobs', 'moved', {
    runtime: { envs: ['A', 'B', 'C'].map(secretEnv) },
    triggers: ['t1', 't2'].map(trigger),
  })
  const [, b, c] = body.spec.runtime.envs
  body.spec.runtime.envs = [c, { name: 'NEW', value: 'n', secret: true }, b]
  body.spec.triggers.reverse()

  await api.put('/v0/jobs/moved').send(body).expect(200)

  const { body: shown } = await api.get('/v0/jobs/moved?show_secrets=true')
  const values = shown.spec.runtime.envs.map((env: { value: string }) => env.value)
  const signing = shown.spec.triggers.map((each: ReturnType<typeof trigger>) => each.configuration.callbackSecret)
  expect([values, signing]).toEqual([
    ['CANARY-C', 'n', 'CANARY-B'],
    ['CANARY-t2', 'CANARY-t1'],
  ])
})

test('a mask without a stored secret is rejected', async () => {
  const envs = [{ name: 'RENAMED', value: '********', secret: true }]
  await createResource(api, 'jobs', 'nothing-kept', spec)

  const created = await api.post('/v0/jobs').send({ metadata: { name: 'copied' }, spec: { runtime: { envs } } })
  const renamed = await api
    .put('/v0/jobs/nothing-kept')
    .send({ metadata: { name: 'nothing-kept' }, spec: { runtime: { envs } } })

  const message = 'spec.runtime.envs.0.value: is a mask, but no secret is stored'
  expect([created.status, renamed.status, renamed.body.message]).toEqual([400, 400, message])
})

test.each([
  ['secret: false', { secret: false }],
  ['no secret flag', {}],
])('a mask with %s is rejected, and the secret stays', async (_, said) => {
  const name = `masked-${Object.keys(said).length}`
  const envs = [{ name: 'SEC', value: 'CANARY-sec', secret: true }]
  await createResource(api, 'jobs', name, { runtime: { envs } })

  const answer = await api
    .put(`/v0/jobs/${name}`)
    .send({ metadata: { name }, spec: { runtime: { envs: [{ name: 'SEC', value: '********', ...said }] } } })

  const { body: kept } = await api.get(`/v0/jobs/${name}?show_secrets=true`)
  expect([answer.status, answer.body.message]).toEqual([
    400,
    'spec.runtime.envs.0.value: is a mask: send the value, or secret: true to keep the stored one',
  ])
  expect(kept.spec.runtime.envs).toEqual(envs)
})

test.each([
  ['generation', { generation: 'mk1' }],
  ['diskPercent', { diskPercent: 9 }],
  ['diskPercent', { diskPercent: 96 }],
  ['protocol', { ports: [{ target: 80, protocol: 'FTP' }] }],
])('a runtime with an invalid %s is rejected', async (member, runtime) => {
  const answer = await api.post('/v0/jobs').send({ metadata: { name: 'bad' }, spec: { runtime } })

  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(member)])
})

test('the disk size defaults to half of the limit', async () => {
  const { body } = await api.post('/v0/jobs').send({ metadata: { name: 'plain' }, spec: {} })

  expect(body.spec.runtime.diskPercent).toBe(50)
})

test.each(['agents', 'jobs', 'models'])(
  'of %s, an unknown image becomes FAILED with an event that explains the fix',
  async (path) => {
    await createResource(api, path, 'odd', { runtime: { image: 'acme/unheard' } })

    const failed = await waitFor('it failed', async () => {
      const { body } = await api.get(`/v0/${path}/odd`)
      return body.status === 'FAILED' && body
    })

    expect(failed.events.at(-1).message).toContain('The image acme/unheard is unknown: add it')
  },
)
