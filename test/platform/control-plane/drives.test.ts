// Drives and the workloads that mount them.
import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

const body = (name: string, spec: object) => ({ metadata: { name }, spec })
const having = (drive: string) => ({ drives: [{ name: drive, mountPath: '/share' }], runtime: { image: 'local/echo' } })

const settled = (path: string) =>
  waitFor('it is settled', async () => {
    const { body } = await api.get(path)
    return body.status !== 'DEPLOYING' && body
  })

const holders = [
  ['agent', '/v0/agents'],
  ['function', '/v0/functions'],
  ['sandbox', '/v0/sandboxes'],
] as const

test.each(holders)('a drive cannot be deleted while a %s uses it', async (kind, path) => {
  const name = `referenced-by-${kind}`
  await api.post('/v0/drives').send(body(name, {})).expect(200)
  await api
    .post(path)
    .send(body('holder', having(name)))
    .expect(200)

  const refused = await api.delete(`/v0/drives/${name}`)
  await api.delete(`${path}/holder`).expect(200)
  const allowed = await api.delete(`/v0/drives/${name}`)

  expect([refused.status, refused.body.error]).toEqual([409, 'in_use'])
  expect(refused.body.message).toBe(`It is in use by ${kind} holder.`)
  expect(allowed.status).toBe(200)
})

test.each(holders)(
  'a concurrent delete of a drive and create of a %s that mounts it stay consistent',
  async (_, path) => {
    const names = Array.from({ length: 12 }, (_, at) => `passing-${path.slice(4, 6)}-${at}`)
    await Promise.all(names.map((name) => api.post('/v0/drives').send(body(name, {})).expect(200)))

    const pairs = await Promise.all(
      names.map((name) =>
        Promise.all([api.delete(`/v0/drives/${name}`), api.post(path).send(body(name, having(name)))]),
      ),
    )

    for (const [at, [deleted]] of pairs.entries()) {
      const { status } = await settled(`${path}/${names[at]}`)
      expect([deleted.status, status]).toEqual(deleted.status === 200 ? [200, 'FAILED'] : [409, 'DEPLOYED'])
    }
  },
)

test.each(holders)('the drives of a %s are stored and returned', async (kind, path) => {
  const name = `kept-by-${kind}`
  await api.post('/v0/drives').send(body(name, {})).expect(200)

  const created = await api.post(path).send(body('keeper', having(name)))
  const read = await settled(`${path}/keeper`)
  const listed = await api.get(`${path}?q=keeper`)

  const drives = [{ name, mountPath: '/share', readOnly: false }]
  expect([created.body.spec.drives, read.spec.drives, listed.body.data[0].spec.drives]).toEqual([
    drives,
    drives,
    drives,
  ])
  expect(read.status).toBe('DEPLOYED')
})

test.each(holders)(
  'a %s whose drive is missing is FAILED with the reason, and recovers with the next update',
  async (kind, path) => {
    const name = `missed-by-${kind}`
    await api
      .post(path)
      .send(body('missing', having(name)))
      .expect(200)

    const failed = await settled(`${path}/missing`)
    await api.post('/v0/drives').send(body(name, {})).expect(200)
    await api
      .put(`${path}/missing`)
      .send(body('missing', having(name)))
      .expect(200)
    const healed = await settled(`${path}/missing`)

    expect([failed.status, failed.events.at(-1).message]).toEqual([
      'FAILED',
      `There is no drive ${name}: create it, then update this resource.`,
    ])
    expect(healed.status).toBe('DEPLOYED')
  },
)
