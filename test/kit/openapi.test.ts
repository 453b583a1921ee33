import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { describeApi, type RouteRules } from '../../src/kit/http/openapi/document.ts'
import { documentParts } from '../../src/kit/http/openapi/document-parts.ts'
import { type RouteDescription, routerPath } from '../../src/kit/http/openapi/route-description.ts'

const Book = z.strictObject({ title: z.string() }).meta({ examples: [{ title: 'Emma' }] })

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
  info: { title: 'Library', version: '1' },
  servers: [{ url: 'https://library.example' }],
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
  test('is named by method and path, or as it says', () => {
    expect(operationOf({}).operationId).toBe('postShelvesShelfIdBooksBookId')
    expect(operationOf({ operationId: 'lendBook' }).operationId).toBe('lendBook')
  })

  test('has the names of its path, which are any text unless there are schemas for them', () => {
    const params = z.strictObject({ shelfId: z.string().max(3), bookId: z.string() })
    const inPath = (route: Partial<RouteDescription>) => operationOf(route).parameters.slice(0, 2)

    expect(inPath({})).toEqual([
      { name: 'shelfId', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'bookId', in: 'path', required: true, schema: { type: 'string' } },
    ])
    expect(inPath({ params })[0].schema).toEqual({ type: 'string', maxLength: 3 })
  })

  test('demands of a query what has no default', () => {
    const required = operationOf({}).parameters.slice(2)

    expect(required).toMatchObject([
      { name: 'days', in: 'query', required: false, schema: { default: 7 } },
      { name: 'to', in: 'query', required: true },
    ])
  })

  test('shows the example of a body beside its schema', () => {
    const { schema, example } = operationOf({}).requestBody.content['application/json']

    expect(example).toEqual({ title: 'Emma' })
    expect(schema).not.toHaveProperty('examples')
  })

  test('takes a body in each form it names, and goes without where that is optional', () => {
    const { required, content } = operationOf({ bodyOptional: true }, { bodyTypes: ['text/x-form'] }).requestBody

    expect(required).toBe(false)
    expect(content['text/x-form']).toEqual(content['application/json'])
  })

  test('has the answers of the route and the problems of its rules', () => {
    const { responses } = operationOf({ answers: { 200: Book, 204: undefined } }, { problems: { default: { x: 1 } } })

    expect(responses).toMatchObject({ 200: { content: { 'application/json': {} } }, default: { x: 1 } })
    expect(responses[204]).toEqual({ description: 'Done.' })
  })
})

test('a header of answers is described once, and referred to', () => {
  const rules = { responseHeaders: { 'Retry-After': { schema: z.string(), description: 'Seconds.' } } }
  const { paths, components } = documentOf({}, rules)

  expect(paths[lend.path].post.responses[201].headers).toEqual({
    'Retry-After': { $ref: '#/components/headers/Retry-After' },
  })
  expect(components.headers).toEqual({ 'Retry-After': { description: 'Seconds.', schema: { type: 'string' } } })
})

test('a schema that refers to itself stands among the components', () => {
  const Tree: z.ZodType = z.strictObject({ branches: z.array(z.lazy(() => Tree)) })
  const { paths, components } = documentOf({ answers: { 200: Tree } })

  const { $ref } = paths[lend.path].post.responses[200].content['application/json'].schema
  expect($ref).toBe('#/components/schemas/Schema1')
  expect(components.schemas.Schema1.properties.branches.items).toEqual({ $ref })
})

test('a tag is listed once', () => {
  expect(documentOf({}).tags).toEqual([{ name: 'Books' }])
})

test('a router gets the path in its own form', () => {
  expect(routerPath(lend.path)).toBe('/shelves/:shelfId/books/:bookId')
})
