import type pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Statement } from '../../src/kit/database/prepared.ts'
import { execute, maybe, one, prepared, type Queryable, row, rows, sql } from '../../src/kit/database/sql.ts'

test('values become parameters in order', () => {
  const part = sql`select * from things where id = ${'a'} and size > ${3}`

  expect(part.text).toBe('select * from things where id = $1 and size > $2')
  expect(part.values).toEqual(['a', 3])
})

test('a value is never part of the text', () => {
  const part = sql`select ${`'; drop table things; --`}, ${null}, ${['a', 'b']}`

  expect(part.text).toBe('select $1, $2, $3')
  expect(part.values).toEqual([`'; drop table things; --`, null, ['a', 'b']])
})

test('fragments compose, and parameters are renumbered', () => {
  const isOf = (owner: string) => sql`owner = ${owner}`
  const both = sql`(${isOf('a')} or ${isOf('b')})`

  const statement = sql`update things set name = ${'n'} where ${both}${sql``} and ${sql`true`} limit ${1}`

  expect(statement.text).toBe('update things set name = $1 where (owner = $2 or owner = $3) and true limit $4')
  expect(statement.values).toEqual(['n', 'a', 'b', 1])
  expect([both.text, both.values]).toEqual(['(owner = $1 or owner = $2)', ['a', 'b']])
})

test('a template can be reused with other fragments', () => {
  const now = sql`now()`
  const at = (id: string, time: ReturnType<typeof sql>) => sql`update things set at = ${time} where id = ${id}`

  const statements = [at('a', now), at('b', now), at('c', sql`${'noon'}::time`), at('d', sql`${'dusk'}::time`)]

  expect(statements.map(({ text, values }) => [text, values])).toEqual([
    ['update things set at = now() where id = $1', ['a']],
    ['update things set at = now() where id = $1', ['b']],
    ['update things set at = $1::time where id = $2', ['noon', 'c']],
    ['update things set at = $1::time where id = $2', ['dusk', 'd']],
  ])
})

test.each([
  [[], '', []],
  [['a'], '$1', ['a']],
  [['a', sql`now()`, sql`${'b'}::text`], '$1, now(), $2::text', ['a', 'b']],
])('a list of %j is joined', (parts, text, values) => {
  const joined = sql.join(parts)

  expect([joined.text, joined.values]).toEqual([text, values])
})

test('joins a list with a separator', () => {
  expect(sql.join([sql`a`, sql`b`], ' and ').text).toBe('a and b')
})

test('selects the columns of a row schema', () => {
  const Row = z.object({ id: z.string(), createdAt: z.date() })

  expect(sql.columns(Row).text).toBe('id, created_at as "createdAt"')
  expect(sql.columns(Row, 'things').text).toBe('things.id, things.created_at as "createdAt"')
})

test.each(['things', 'things.owner_id', 'at_2'])('accepts %s as an identifier', (name) => {
  expect(sql.identifier(name).text).toBe(name)
})

test.each(['', 'a b', 'a;', '"a"', "a'", 'a.b.c', 'A', 'a--'])('rejects %j as an identifier', (name) => {
  expect(() => sql.identifier(name)).toThrow('identifier')
})

test('a constant in the text is quoted', () => {
  expect(sql`${sql.literal(`it's`)}, ${sql.literal(5)}`.text).toBe(`'it''s', 5`)
})

/** Returns these rows for every statement, and records the statements. */
function answering(answer: unknown[]) {
  const asked: pg.QueryConfig[] = []
  const query = async (config: pg.QueryConfig) => {
    asked.push(config)
    return { rows: answer, rowCount: answer.length }
  }
  return { db: { query } as unknown as Queryable, asked }
}

const Thing = z.object({ id: z.string(), note: maybe(z.string()) })

test('rows are parsed, and null is undefined', async () => {
  const { db, asked } = answering([
    { id: 'a', note: null },
    { id: 'b', note: 'n' },
  ])

  const found = await rows(db, Thing, sql`select id, note from things where owner = ${'o'}`)

  expect(found).toEqual([
    { id: 'a', note: undefined },
    { id: 'b', note: 'n' },
  ])
  expect(asked).toEqual([{ text: 'select id, note from things where owner = $1', values: ['o'] }])
})

test('an invalid row throws an error with statement and column, without the value', async () => {
  const { db } = answering([{ id: 'a', note: { secret: 'whatever' } }])

  const reading = rows(
    db,
    Thing,
    sql`
    select id, note
    from things where owner = ${'somebody'}`,
  )

  await expect(reading).rejects.toThrow(
    'a stored row cannot be read: note invalid_type (select id, note from things where owner = $1)',
  )
  await expect(reading).rejects.not.toBeInstanceOf(z.ZodError)
})

test('row() returns the first row, or undefined', async () => {
  expect(await row(answering([{ id: 'a', note: null }]).db, Thing, sql`select`)).toEqual({ id: 'a', note: undefined })
  expect(await row(answering([]).db, Thing, sql`select`)).toBeUndefined()
})

test.each([
  [[]],
  [
    [
      { id: 'a', note: null },
      { id: 'b', note: null },
    ],
  ],
])('one() rejects %j', async (answer) => {
  await expect(one(answering(answer).db, Thing, sql`select of_these`)).rejects.toThrow('select of_these')
})

test('execute() returns the row count', async () => {
  expect(await execute(answering([{}, {}]).db, sql`delete from things returning id`)).toBe(2)
})

test('a prepared statement is named by its text', async () => {
  const { db, asked } = answering([])
  const find = (id: string) => prepared(sql`select ${sql.columns(Thing)} from things where id = ${id}`)

  await rows(db, Thing, find('a'))
  await rows(db, Thing, find('b'))

  const text = 'select id, note from things where id = $1'
  const { name } = new Statement(text)
  expect(asked).toEqual([
    { text, values: ['a'], name },
    { text, values: ['b'], name },
  ])
})

test('a batch prepares every statement', async () => {
  const asked: unknown[] = []
  const run = async (...args: unknown[]) => {
    asked.push(args)
    return [{ id: 'a', note: null }]
  }

  const found = await row(run, Thing, sql`select id, note from things where id = ${'a'}`)

  expect(found).toEqual({ id: 'a', note: undefined })
  expect(asked).toEqual([[new Statement('select id, note from things where id = $1'), ['a']]])
})
