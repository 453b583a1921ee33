import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { opaqueCursors } from '../../../src/kit/crypto/opaque-cursor.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

type Step = { create: number } | { remove: number } | { page: true }

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ create: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.nat(40) }) },
    { weight: 4, arbitrary: fc.record({ page: fc.constant(true as const) }) },
  ),
  { minLength: 5, maxLength: 40 },
)
const sorts = fc.constantFrom('createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc')

let runs = 0

test('pages list every drive that exists throughout exactly once and in order, despite concurrent changes', async () => {
  await fc.assert(
    fc.asyncProperty(steps, sorts, fc.integer({ min: 1, max: 7 }), async (history, sort, limit) => {
      const prefix = `run${runs++}`
      const drives = new Map<string, { createdAt: string }>()
      const create = async (at: number) => {
        const name = `${prefix}-${at}`
        const { status, body } = await api.post('/v0/drives').send({ metadata: { name }, spec: {} })
        if (status === 200) drives.set(name, body.metadata)
      }
      for (let at = 0; at < 12; at++) await create(at)
      const stayed = new Set(drives.keys())
      const seen: Array<{ name: string; createdAt: string }> = []
      let cursor: string | undefined
      const turn = async () => {
        if (cursor === '') return
        const { body } = await api.get('/v0/drives').query({ q: `${prefix}-`, sort, limit, cursor })
        seen.push(...body.data.map(({ metadata }: { metadata: { name: string } }) => metadata))
        cursor = body.meta.nextCursor
      }

      const remove = async (at: number) => {
        if (!drives.delete(`${prefix}-${at}`)) return
        stayed.delete(`${prefix}-${at}`)
        await api.delete(`/v0/drives/${prefix}-${at}`)
      }

      const take = async (step: Step) => {
        if ('create' in step) return create(step.create)
        return 'remove' in step ? remove(step.remove) : turn()
      }

      for (const step of history as Step[]) await take(step)
      while (cursor !== '') await turn()

      const names = seen.map(({ name }) => name)
      for (const name of stayed) expect(names.filter((other) => other === name)).toEqual([name])
      expect(seen.filter(({ name }) => stayed.has(name))).toEqual(
        ordered(
          seen.filter(({ name }) => stayed.has(name)),
          sort,
        ),
      )
    }),
    { numRuns: 12 },
  )
}, 180_000)

function ordered(found: Array<{ name: string; createdAt: string }>, sort: string) {
  const [member, direction] = sort.split(':') as ['name' | 'createdAt', string]
  const sign = direction === 'asc' ? 1 : -1
  return [...found].sort((a, b) => sign * (a[member] < b[member] ? -1 : a[member] > b[member] ? 1 : 0))
}

test('a cursor with a changed byte, or of another query, is rejected', () => {
  const cursors = opaqueCursors(world.config.encryptionKeys, 60)
  const now = new Date()
  fc.assert(
    fc.property(fc.json(), fc.string(), fc.nat(), fc.integer({ min: 1, max: 255 }), (position, query, at, flip) => {
      const cursor = cursors.seal(position, query, now)
      const bytes = Buffer.from(cursor, 'latin1')
      bytes[at % bytes.length]! ^= flip

      expect(cursors.open(cursor, query, now)).toEqual(position)
      expect(cursors.open(bytes.toString('latin1'), query, now)).toBeUndefined()
      expect(cursors.open(cursor, `${query}.`, now)).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['a zero byte', { metadata: { name: 'x', displayName: 'a\u0000b' }, spec: {} }],
  ['half a surrogate pair', { metadata: { name: 'x', labels: { a: '\ud800' } }, spec: {} }],
  [
    'the prototype as a field',
    JSON.parse('{"metadata":{"name":"proto","labels":{"__proto__":"x"}},"spec":{"__proto__":{}}}'),
  ],
  ['an overflowing number', { metadata: { name: 'x' }, spec: { size: 1e308 } }],
  ['an array', []],
  ['a text', '"text"'],
])('%s in a body causes no 5xx', async (_, body) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)

  const { status } = await api.post('/v0/drives').set('Content-Type', 'application/json').send(text)

  expect(status).toBeLessThan(500)
})

test.each([
  [
    'too large',
    'application/json',
    JSON.stringify({ metadata: { name: 'x' }, spec: {}, pad: 'p'.repeat(300_000) }),
    413,
  ],
  ['not JSON', 'application/json', '{"metadata":', 400],
  ['a form', 'application/x-www-form-urlencoded', 'metadata=x', 415],
  ['in another encoding', 'application/json; charset=iso-8859-1', '{}', 415],
  ['deeply nested', 'application/json', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 400],
])('a body that is %s is rejected', async (_, type, body, status) => {
  const answer = await api.post('/v0/drives').set('Content-Type', type).send(body)

  expect(answer.status).toBe(status)
  expect(answer.body).toMatchObject({ code: status, error: expect.any(String), message: expect.any(String) })
})
