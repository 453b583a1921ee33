import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { describeApi, type RouteRules } from '../../src/kit/http/openapi/document.ts'
import { documentParts } from '../../src/kit/http/openapi/document-parts.ts'
import { inlineSchemas } from '../../src/kit/http/openapi/inline-schemas.ts'
import { type RouteDescription, routerPath } from '../../src/kit/http/openapi/route-description.ts'

const Book = z.strictObject({ title: z.string() }).meta({ description: 'A book.', examples: [{ title: 'Emma' }] })

const lend: RouteDescription = {
  method: 'post',
  path: '/shelves/{shelfId}/books/{bookId}',
  summary: 'Lend a book',
  tag: 'Books',
  query: z.strictObject({ days: z.coerce.number().default(7), to: z.string() }),
  body: Book,
  answers: { 201: Book },
}

const about = {
  info: {
    title: 'Library',
    version: '1',
    description: 'Books.',
    contact: { name: 'Library', url: 'https://library.example' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: 'https://library.example' }],
  tags: [
    { name: 'Shelves', description: 'Where they stand.' },
    { name: 'Books', description: 'What is lent.' },
  ],
  security: [],
  securitySchemes: {},
}

// biome-ignore lint/suspicious/noExplicitAny: parts of a document, read by hand
function documentOf(route: Partial<RouteDescription>, rules: Partial<RouteRules> = {}): any {
  const described = [
    { ...lend, ...route },
    { problems: {}, ...rules },
  ] as const
  return JSON.parse(JSON.stringify(describeApi(documentParts(), [described], about)))
}

const operationOf = (route: Partial<RouteDescription>, rules: Partial<RouteRules> = {}) =>
  documentOf(route, rules).paths[lend.path].post

describe('an operation', () => {
  test('is identified by method and path, or by its operationId', () => {
    expect(operationOf({}).operationId).toBe('postShelvesShelfIdBooksBookId')
    expect(operationOf({ operationId: 'lendBook' }).operationId).toBe('lendBook')
  })

  test('has its path parameters, as text by default', () => {
    const params = z.strictObject({ shelfId: z.string().max(3), bookId: z.string() })
    const inPath = (route: Partial<RouteDescription>) => operationOf(route).parameters.slice(0, 2)

    expect(inPath({})).toEqual([
      { name: 'shelfId', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'bookId', in: 'path', required: true, schema: { type: 'string' } },
    ])
    expect(inPath({ params })[0].schema).toEqual({ type: 'string', maxLength: 3 })
  })

  test('requires query parameters without a default', () => {
    const required = operationOf({}).parameters.slice(2)

    expect(required).toMatchObject([
      { name: 'days', in: 'query', required: false, schema: { default: 7 } },
      { name: 'to', in: 'query', required: true },
    ])
  })

  test('has the example of a body beside its schema', () => {
    const { schema, example } = operationOf({}).requestBody.content['application/json']

    expect(example).toEqual({ title: 'Emma' })
    expect(schema).not.toHaveProperty('examples')
  })

  test('accepts a body of each media type, and none if it is optional', () => {
    const { required, content } = operationOf({ bodyOptional: true }, { bodyTypes: ['text/x-form'] }).requestBody

    expect(required).toBe(false)
    expect(content['text/x-form']).toEqual(content['application/json'])
  })

  test('has the responses of the route and the problems of its rules', () => {
    const { responses } = operationOf({ answers: { 200: Book, 204: undefined } }, { problems: { default: { x: 1 } } })

    expect(responses).toMatchObject({ 200: { content: { 'application/json': {} } }, default: { x: 1 } })
    expect(responses[200].description).toBe('A book.')
    expect(responses[204]).toEqual({ description: 'No content.' })
  })
})

test('a response header is defined once and referenced', () => {
  const rules = { responseHeaders: { 'Retry-After': { schema: z.string(), description: 'Seconds.' } } }
  const { paths, components } = documentOf({}, rules)

  expect(paths[lend.path].post.responses[201].headers).toEqual({
    'Retry-After': { $ref: '#/components/headers/Retry-After' },
  })
  expect(components.headers).toEqual({ 'Retry-After': { description: 'Seconds.', schema: { type: 'string' } } })
})

describe('a named schema', () => {
  const schemaOf = (document: ReturnType<typeof documentOf>, status: number) =>
    document.paths[lend.path].post.responses[status].content['application/json'].schema

  test('is defined once as a component and referenced elsewhere', () => {
    const Author = z.strictObject({ name: z.string() }).meta({ id: 'Author' })
    const Poem = z.strictObject({ by: Author, about: Author.meta({ description: 'Whom it praises.' }) })
    const document = documentOf({ answers: { 200: Author, 201: Poem } })

    const $ref = '#/components/schemas/Author'
    expect(schemaOf(document, 200)).toEqual({ $ref })
    expect(schemaOf(document, 201).properties).toEqual({
      by: { $ref },
      about: { $ref, description: 'Whom it praises.' },
    })
    expect(document.components.schemas.Author.required).toEqual(['name'])
    expect(inlineSchemas(document, schemaOf(document, 201)).properties.about).toMatchObject({
      description: 'Whom it praises.',
      required: ['name'],
    })
  })

  test('may be recursive', () => {
    const treeOf = (meta: z.GlobalMeta): z.ZodType => {
      const Tree: z.ZodType = z.strictObject({ branches: z.array(z.lazy(() => Tree)) }).meta(meta)
      return Tree
    }
    const { components } = documentOf({ answers: { 200: treeOf({ id: 'Tree' }) } })

    expect(components.schemas.Tree.properties.branches.items).toEqual({ $ref: '#/components/schemas/Tree' })
    expect(() => documentOf({ answers: { 200: treeOf({}) } })).toThrow('needs an `id`')
  })

  test('has another name as a request if input and output differ', () => {
    const Term = z.strictObject({ days: z.int().default(7) }).meta({ id: 'Term' })
    const Loan = z.strictObject({ term: Term }).meta({ id: 'Loan' })
    const Same = z.strictObject({ term: z.string() }).meta({ id: 'Same' })
    const { components } = documentOf({
      body: z.strictObject({ loan: Loan, same: Same }),
      answers: { 200: z.strictObject({ loan: Loan, same: Same }) },
    })

    expect(Object.keys(components.schemas).sort()).toEqual(['Loan', 'LoanRequest', 'Same', 'Term', 'TermRequest'])
    expect(components.schemas.LoanRequest.properties.term).toEqual({ $ref: '#/components/schemas/TermRequest' })
    expect([components.schemas.Term.required, components.schemas.TermRequest.required]).toEqual([['days'], undefined])
  })

  test('has only its own schema', () => {
    const named = (schema: z.ZodType) => schema.meta({ id: 'Taken' })

    expect(() => documentOf({ answers: { 200: named(z.string()), 201: named(z.int()) } })).toThrow('named Taken')
  })
})

test('a record with known keys is an object with these fields', () => {
  const Counts = z.record(z.enum(['lent', 'kept']), z.int().min(0).max(9))
  const { schema } = operationOf({ answers: { 200: Counts } }).responses[200].content['application/json']

  const count = { type: 'integer', minimum: 0, maximum: 9 }
  expect(schema).toMatchObject({ type: 'object', required: ['lent', 'kept'], properties: { lent: count, kept: count } })
  expect(schema).not.toHaveProperty('propertyNames')
})

test('a time has only a format', () => {
  const { schema } = operationOf({ answers: { 200: z.iso.datetime() } }).responses[200].content['application/json']

  expect(schema).toEqual({ type: 'string', format: 'date-time' })
})

test('lists the tags that routes use', () => {
  expect(documentOf({}).tags).toEqual([{ name: 'Books', description: 'What is lent.' }])
})

test('converts a path to Express syntax', () => {
  expect(routerPath(lend.path)).toBe('/shelves/:shelfId/books/:bookId')
})
