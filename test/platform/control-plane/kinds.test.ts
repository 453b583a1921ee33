import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kinds } from '../../../src/platform/control-plane/kinds/catalogue.ts'
import { samples } from '../../support/worlds/platform-samples.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const remover = await world.join('acme', 'remover@acme.example', 'admin')

afterAll(() => world.close())

describe.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (name, kind) => {
  const sample = samples[name]!
  const path = `/v0${sample.path}`
  const body = (own: string, more: object = {}) => ({ metadata: { name: own, ...more }, spec: sample.spec })

  beforeAll(async () => {
    for (const parent of sample.parents ?? []) await world.as(world.admin).post(`/v0${parent.path}`).send(parent.body)
  })

  test('is created with its metadata, and read and listed as the document the contract describes', async () => {
    const api = world.as(world.admin)

    const created = await api.post(path).send(body('first', { displayName: 'First one', labels: { team: 'a' } }))
    const read = await api.get(`${path}/first`)
    const listed = await api.get(path)

    expect(created.status).toBe(200)
    expect(created.body.metadata).toMatchObject({ name: 'first', displayName: 'First one', workspace: 'acme' })
    expect(created.body.metadata.labels).toEqual({ team: 'a' })
    expect(created.body.metadata).toMatchObject({ createdBy: 'admin@acme.example', updatedBy: 'admin@acme.example' })
    expect(read.body.metadata).toEqual(created.body.metadata)
    expect(kind.document.safeParse(read.body).error).toBeUndefined()
    const items = kind.listing === 'pages' ? listed.body.data : listed.body
    expect(items.map((item: typeof created.body) => item.metadata.name)).toContain('first')
  })

  test('accepts its own representation as an update, and keeps its creator', async () => {
    const api = world.as(world.admin)
    const { body: created } = await api.post(path).send(body('second')).expect(200)

    const updated = await api
      .put(`${path}/second`)
      .send({ ...created, metadata: { ...created.metadata, displayName: 'New' } })

    expect([updated.status, updated.body.message]).toEqual([200, undefined])
    expect(updated.body.metadata).toMatchObject({ displayName: 'New', createdAt: created.metadata.createdAt })
    expect(updated.body.spec).toEqual(created.spec)
  })

  test('returns 404 after a delete, and its name can be reused', async () => {
    const api = world.as(world.admin)
    await api.post(path).send(body('third')).expect(200)

    const deleted = await api.delete(`${path}/third`)
    const read = await api.get(`${path}/third`)
    const again = await api.post(path).send(body('third'))

    expect([deleted.status, read.status, again.status]).toEqual([200, 404, 200])
    expect(read.body).toEqual({ code: 404, error: 'not_found', message: `No ${name} has this name.` })
  })

  test('is returned by its delete with the actor and time', async () => {
    const { body: created } = await world.as(world.admin).post(path).send(body('seventh')).expect(200)

    const { body: deleted } = await world.as(remover).delete(`${path}/seventh`).expect(200)

    // A drive answers its name and a sentence.
    if (name === 'drive') return
    expect(deleted.metadata).toMatchObject({ createdBy: 'admin@acme.example', updatedBy: 'remover@acme.example' })
    expect(deleted.metadata.updatedAt > created.metadata.updatedAt).toBe(true)
  })

  test.each([
    ['Upper', 'must be lowercase'],
    ['a'.repeat(50), 'at most 49'],
    ['spa ce', 'must be lowercase'],
    ['', 'must be lowercase'],
  ])('is rejected with the name %j', async (bad, reason) => {
    const answer = await world.as(world.admin).post(path).send(body(bad))

    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(reason)
  })

  test('accepts a name of 49 and a display name of 63 characters, and rejects a longer display name', async () => {
    const api = world.as(world.admin)

    const longest = await api.post(path).send(body('n'.repeat(49), { displayName: '😀'.repeat(63) }))
    const tooLong = await api.post(path).send(body('long', { displayName: 'D'.repeat(64) }))

    expect([longest.status, tooLong.status]).toEqual([200, 400])
    expect(tooLong.body.message).toContain('metadata.displayName')
  })

  test('stores no unknown fields of the spec', async () => {
    const sent = { metadata: { name: 'fourth' }, spec: { ...sample.spec, unheardOf: { deep: 1 } } }

    const created = await world.as(world.admin).post(path).send(sent)

    expect(created.status).toBe(200)
    expect(JSON.stringify(created.body.spec)).not.toContain('unheardOf')
  })

  test('S15: rejects unknown fields beside the spec by name', async () => {
    const api = world.as(world.admin)
    const valid = body('known')

    const beside = await api.post(path).send({ ...valid, extra: 1 })
    const within = await api.post(path).send({ ...valid, metadata: { ...valid.metadata, lables: {} } })

    expect([beside.status, within.status]).toEqual([400, 400])
    expect(beside.body.message).toMatch(/^extra: unknown member; known members are .*metadata.*spec/)
    expect(within.body.message).toMatch(/^metadata.lables: unknown member; known members are .*labels/)
  })

  test('ignores read-only fields', async () => {
    const api = world.as(world.admin)
    const metadata = {
      createdAt: 'then',
      createdBy: 'me',
      updatedAt: 'then',
      updatedBy: 'me',
      workspace: 'w',
      plan: 'p',
      url: 'u',
    }
    const set = {
      status: 'TERMINATED',
      events: [{ type: 'mine' }],
      state: { s3Url: 'mine', attachedTo: 'mine' },
      terminatedAt: 'then',
    }
    const sent = { ...body('tampered', metadata), ...set }

    const created = await api.post(path).send(sent)
    const updated = await api.put(`${path}/tampered`).send(sent)

    for (const answer of [created, updated]) {
      expect(answer.status).toBe(200)
      expect(JSON.stringify(answer.body)).not.toMatch(/"(me|mine|then|w|p|u|TERMINATED)"/)
      expect(kind.document.safeParse(answer.body).error).toBeUndefined()
    }
  })

  test('rejects a changed name in an update', async () => {
    const api = world.as(world.admin)
    await api.post(path).send(body('fifth')).expect(200)

    const answer = await api.put(`${path}/fifth`).send(body('sixth'))

    expect([answer.status, answer.body.message]).toEqual([400, 'metadata.name may not change.'])
  })
})
