import { afterAll, describe, expect, test } from 'vitest'
import { kinds } from '../../../src/platform/control-plane/kinds/catalogue.ts'
import { samples } from '../../support/worlds/platform-samples.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

let clock = Date.parse('2026-05-01T00:00:00Z')

const world = await platformWorld({ adapters: { now: () => new Date(clock) } })
const api = world.as(world.admin)
for (const [at, name] of ['charlie', 'alpha', 'bravo', 'echo', 'delta'].entries()) {
  clock += 1_000
  const metadata = {
    name,
    displayName: `The ${name.toUpperCase()}`,
    labels: { team: `red-${at}`, [`key-${at}`]: 'x' },
  }
  await api.post('/v0/drives').send({ metadata, spec: {} }).expect(200)
}

afterAll(() => world.close())

const names = (body: { data: Array<{ metadata: { name: string } }> }) => body.data.map(({ metadata }) => metadata.name)

describe('sort', () => {
  test.each([
    [undefined, ['delta', 'echo', 'bravo', 'alpha', 'charlie']],
    ['createdAt:desc', ['delta', 'echo', 'bravo', 'alpha', 'charlie']],
    ['createdAt:asc', ['charlie', 'alpha', 'bravo', 'echo', 'delta']],
    ['name:asc', ['alpha', 'bravo', 'charlie', 'delta', 'echo']],
    ['name:desc', ['echo', 'delta', 'charlie', 'bravo', 'alpha']],
  ])('%s orders every page and the complete list', async (sort, expected) => {
    const whole = await api.get('/v0/drives').query({ sort })
    const walked = await walk({ sort, limit: 2 })

    expect(names(whole.body)).toEqual(expected)
    expect(walked).toEqual(expected)
  })
})

describe('search', () => {
  test.each([
    ['alp', ['alpha']],
    ['  ALP ', ['alpha']],
    ['the char', ['charlie']],
    ['red-3', ['echo']],
    ['key-2', ['bravo']],
    ['ed-', ['delta', 'echo', 'bravo', 'alpha', 'charlie']],
    ['rl', ['charlie']],
    ['zz', []],
    ['%', ['delta', 'echo', 'bravo', 'alpha', 'charlie']],
    ['%%', []],
    ['a_p', []],
    ['\\\\', []],
    ['e', ['delta', 'echo', 'bravo', 'alpha', 'charlie']],
    [' e ', ['delta', 'echo', 'bravo', 'alpha', 'charlie']],
    ["'; drop table resources", []],
    ['ie\nthe', []],
  ])('for %j searches name, display name and labels', async (q, expected) => {
    const found = await api.get('/v0/drives').query({ q })

    expect([found.status, names(found.body)]).toEqual([200, expected])
  })

  test.each([
    ['😀', ['odd', 'plain']],
    ['😀 ä', ['odd']],
    ['ÄPFEL', ['odd']],
    ['0%', ['odd']],
    ['b_c', ['odd']],
    ['x\\y', ['odd']],
    ['two\nlines', ['odd']],
    ['\u3000äpfel\u00a0', ['odd']],
  ])('for %j counts and compares characters, not code units', async (q, expected) => {
    const metadata = { name: 'odd', displayName: 'Käse 😀 Äpfel, two\nlines', labels: { b_c: '100%', path: 'x\\y' } }
    await api.post('/v0/agents').send({ metadata: { name: 'plain' }, spec: {} })
    clock += 1_000
    await api.post('/v0/agents').send({ metadata, spec: {} })

    const found = await api.get('/v0/agents').query({ q })

    expect([found.status, names(found.body)]).toEqual([200, expected])
  })

  test('counts the results of the whole workspace', async () => {
    const { body } = await api.get('/v0/drives').query({ q: 'alpha' })

    expect(body.meta).toEqual({ hasMore: false, nextCursor: '', total: 5 })
  })

  test('accepts 200 characters and rejects 201', async () => {
    const longest = await Promise.all(['q', '😀'].map((c) => api.get('/v0/drives').query({ q: c.repeat(200) })))
    const tooLong = await Promise.all(['q', '😀'].map((c) => api.get('/v0/drives').query({ q: c.repeat(201) })))

    expect([...longest, ...tooLong].map(({ status }) => status)).toEqual([200, 200, 400, 400])
  })

  test('continues from page to page', async () => {
    expect(await walk({ q: 'red', limit: 2 })).toEqual(['delta', 'echo', 'bravo', 'alpha', 'charlie'])
  })
})

describe('pages', () => {
  test('report the total and whether there is more', async () => {
    const first = await api.get('/v0/drives').query({ limit: 3 })
    const second = await api.get('/v0/drives').query({ limit: 3, cursor: first.body.meta.nextCursor })

    expect(first.body.meta).toEqual({ hasMore: true, nextCursor: expect.stringMatching(/.+/), total: 5 })
    expect(second.body.meta).toEqual({ hasMore: false, nextCursor: '', total: 5 })
  })

  test.each([
    ['0', 400],
    ['-1', 400],
    ['1.5', 400],
    ['many', 400],
    ['1e2', 400],
    ['', 400],
    ['99999999999999999999', 200],
    ['1', 200],
    ['200', 200],
    ['201', 200],
    ['100000', 200],
  ])('with limit %j return %i resources', async (limit, status) => {
    await api.get(`/v0/drives?limit=${limit}`).expect(status)
  })

  test('with anchor=end return the last page, in the same order', async () => {
    const { body } = await api.get('/v0/drives').query({ anchor: 'end', limit: 2 })

    expect(names(body)).toEqual(['alpha', 'charlie'])
    expect(body.meta).toEqual({ hasMore: false, nextCursor: '', total: 5 })
  })

  test.each([
    { anchor: 'start' },
    { anchor: 'end', sort: 'name:asc' },
    { anchor: 'end', sort: 'createdAt:asc' },
    { sort: 'size:asc' },
    { q: ['one', 'two'] },
  ])('with %j are rejected', async (query) => {
    await api.get('/v0/drives').query(query).expect(400)
  })

  test('contain 50 by default and never more than 200', async () => {
    const many = await platformWorld()
    await many.pool.query(
      `insert into resources (id, workspace, kind, name, display_name, labels, spec, search, created_at, updated_at,
         created_by, updated_by)
       select n::text, 'acme', 'policy', 'p-' || n, '', '{}', '{"type": "location"}', 'p-' || n, now(), now(), '', ''
       from generate_series(1, 250) n`,
    )
    const ask = async (query: object) => names((await many.as(many.admin).get('/v0/policies').query(query)).body).length

    const sizes = [await ask({}), await ask({ limit: 200 }), await ask({ limit: 1_000 })]
    await many.close()

    expect(sizes).toEqual([50, 200, 200])
  })
})

describe('versions', () => {
  test.each(['2026-04-16', '2026-04-20', ''])('%j returns a bare array and ignores the query', async (version) => {
    const old = world.as(world.admin, version)

    const { body } = await old.get('/v0/drives').query({ sort: 'name:asc', q: 'alpha', limit: 1 })

    expect(names({ data: body })).toEqual(['delta', 'echo', 'bravo', 'alpha', 'charlie'])
  })

  const paginated = kinds.filter(({ listing }) => listing === 'pages').map(({ name, path }) => [name, path] as const)

  test.each(paginated)('before pagination, a list of %s is complete and ignores the query', async (kind, path) => {
    const old = world.as(await world.enter('many', 'admin@acme.example'), '')
    await world.pool.query(
      `insert into resources (id, workspace, kind, name, display_name, labels, spec, events, status, search,
         created_at, updated_at, created_by, updated_by)
       select $1 || n, 'many', $1, 'n-' || n, '', '{}', $2, '[]', 'DEPLOYED', 'n-' || n, now(), now(), '', ''
       from generate_series(1, 60) n`,
      [kind, JSON.stringify({ triggers: [], ...samples[kind]!.spec })],
    )

    const { body } = await old.get(`/v0${path}`).query({ limit: 1, cursor: 'none', q: 'n-7', sort: 'never' })

    expect(names({ data: body })).toHaveLength(60)
  })

  test.each(['2026-04-27', '2026-04-28.preview', 'newest', '2026-4-16', '2027-01-01'])(
    '%j is unknown, and the response lists the known ones',
    async (version) => {
      const answer = await world.as(world.admin, version).get('/v0/drives')

      expect([answer.status, answer.body]).toEqual([
        400,
        {
          error: 'invalid_api_version',
          message: 'Unknown API version. Valid versions: 2026-04-16, 2026-04-20, 2026-04-28.',
        },
      ])
    },
  )
})

test.each(['/v0/no-such-thing', '/v0/drives/a/b/c', '/v0'])(
  'an unknown version is reported at %s too, which does not exist',
  async (path) => {
    const unknown = await world.as(world.admin, '2030-01-01').get(path)
    const known = await world.as(world.admin).get(path)

    expect([unknown.status, unknown.body.error]).toEqual([400, 'invalid_api_version'])
    expect([known.status, known.body.error]).toEqual([404, 'not_found'])
  },
)

describe('cursors', () => {
  const refusal = { code: 400, error: 'invalid_cursor', message: 'The cursor is not valid for this query.' }
  const cursorOf = async (query: object) =>
    (await api.get('/v0/drives').query({ limit: 2, ...query })).body.meta.nextCursor

  test.each([
    ['another sort', { sort: 'name:asc' }],
    ['another search', { q: 'red' }],
  ])('are rejected for %s', async (_, query) => {
    const cursor = await cursorOf({})

    const answer = await api.get('/v0/drives').query({ ...query, cursor })

    expect([answer.status, answer.body]).toEqual([400, refusal])
  })

  test('are rejected for another kind and for another workspace', async () => {
    const cursor = await cursorOf({})
    const other = await world.enter('other', 'admin@acme.example')

    const kind = await api.get('/v0/volumes').query({ cursor })
    const workspace = await world.as(other).get('/v0/drives').query({ cursor })

    expect([kind.body, workspace.body]).toEqual([refusal, refusal])
  })

  test('work with another limit', async () => {
    const cursor = await cursorOf({})

    const { body } = await api.get('/v0/drives').query({ cursor, limit: 10 })

    expect(names(body)).toEqual(['bravo', 'alpha', 'charlie'])
  })

  test('expire after 24 hours', async () => {
    const cursor = await cursorOf({})
    const made = clock

    clock = made + 24 * 3_600_000
    const inTime = await api.get('/v0/drives').query({ cursor })
    clock += 1_000
    const late = await api.get('/v0/drives').query({ cursor })
    clock = made

    expect([inTime.status, late.status, late.body]).toEqual([200, 400, refusal])
  })

  test('are rejected with any character changed, removed or added', async () => {
    const cursor = await cursorOf({})
    const forged = [...cursor].flatMap((character, at) => [
      cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
      cursor.slice(0, at) + String.fromCharCode(character.charCodeAt(0) ^ 1) + cursor.slice(at + 1),
      cursor.slice(0, at) + cursor.slice(at + 1),
    ])

    const answers = await Promise.all(
      [...forged, `${cursor}A`, `${cursor}=`, `${cursor}!`, `${cursor}.x`, 'garbage', ''].map((text) =>
        api.get('/v0/drives').query({ cursor: text }),
      ),
    )

    expect(new Set(answers.map(({ body }) => JSON.stringify(body)))).toEqual(new Set([JSON.stringify(refusal)]))
  })

  test.each([
    Buffer.from('{"name":"x\' or 1=1 --"}').toString('base64url'),
    `test.${Buffer.from('{"createdAt":"2026-01-01T00:00:00Z","seq":1}').toString('base64url')}`,
  ])('are rejected if forged: %s', async (cursor) => {
    expect((await api.get('/v0/drives').query({ cursor })).body).toEqual(refusal)
  })

  test('continue after their resource is deleted', async () => {
    clock += 1_000
    await api.post('/v0/volumes').send({ metadata: { name: 'one' }, spec: {} })
    await api.post('/v0/volumes').send({ metadata: { name: 'two' }, spec: {} })
    await api.post('/v0/volumes').send({ metadata: { name: 'three' }, spec: {} })
    const { body } = await api.get('/v0/volumes').query({ limit: 2 })

    await api.delete(`/v0/volumes/${names(body)[1]}`).expect(200)
    const rest = await api.get('/v0/volumes').query({ cursor: body.meta.nextCursor })

    expect([names(body), names(rest.body)]).toEqual([['three', 'two'], ['one']])
  })
})

async function walk(query: Record<string, unknown>): Promise<string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const { body } = await api.get('/v0/drives').query({ ...query, cursor })
    found.push(...names(body))
    cursor = body.meta.nextCursor || undefined
  } while (cursor)
  return found
}
