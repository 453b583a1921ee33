// Summaries, descriptions and examples of the OpenAPI document, which tenants read in generated clients.
import { expect, test } from 'vitest'
import { inlineSchemas } from '../../../src/kit/http/openapi/inline-schemas.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
import { relayPath } from '../../../src/onboarding/http/openapi/relay-paths.ts'
import { escaped, partAt, schemasOf } from '../../support/oracles/document-schemas.ts'

type Schema = {
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
  [keyword: string]: unknown
}

type Content = Record<string, { schema: Schema; example?: unknown }>

type Operation = {
  summary: string
  description?: string
  parameters: Array<{ name: string; in: string; description?: string; schema: Schema }>
  requestBody?: { content: Content }
  responses: Record<string, { $ref?: string; content?: Content }>
}

type Paths = Record<string, Record<string, Operation>>

/** JSON drops members that are undefined. */
const served = JSON.parse(JSON.stringify(openApiDocument(describedApi('https://connect.example.com'))))
// Its bodies and statuses are those of the app.
delete served.paths[relayPath]

const { paths, webhooks } = inlineSchemas(served, served) as { paths: Paths; webhooks: Paths }

const operationsOf = (part: Paths, pointer: string) =>
  Object.entries(part).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      operation,
      pointer: `${pointer}/${escaped(path)}/${method}`,
    })),
  )

const operations = operationsOf(paths, '#/paths')
const described = [...operations, ...operationsOf(webhooks, '#/webhooks')]

const bodiesOf = ({ requestBody, responses }: Operation) => [
  ...(requestBody ? [requestBody.content['application/json']] : []),
  ...Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => content?.['application/json'] ?? []),
]

const validatorAt = schemasOf(served)

const hasValidExample = (type: string) => (pointer: string) => {
  const content = `${pointer}/content/${escaped(type)}`
  const { example } = partAt(served, content) as Content[string]
  return example !== undefined && validatorAt(`${content}/schema`)(example)
}

test('bodies have an example that matches their schema', () => {
  const pointers = described.flatMap(({ operation, pointer }) => [
    ...(operation.requestBody ? [`${pointer}/requestBody`] : []),
    ...Object.entries(operation.responses)
      .filter(([status, { content }]) => status.startsWith('2') && content?.['application/json'])
      .map(([status]) => `${pointer}/responses/${status}`),
  ])
  const isValid = hasValidExample('application/json')

  expect(pointers.filter((pointer) => !isValid(pointer))).toEqual([])
})

test('problems have an example that matches their schema', () => {
  const problemsOf = ({ operation, pointer }: (typeof operations)[number]) =>
    Object.entries(operation.responses)
      .filter(([status]) => !status.startsWith('2'))
      .map(([status, { $ref }]) => $ref ?? `${pointer}/responses/${status}`)
  const isValid = hasValidExample('application/problem+json')

  expect(operations.filter((each) => problemsOf(each).length <= 5).map(({ name }) => name)).toEqual([])
  expect([...new Set(operations.flatMap(problemsOf))].filter((pointer) => !isValid(pointer))).toEqual([])
})

test('request and response bodies are named schemas with a description', () => {
  const unnamed = operationsOf(served.paths, '#/paths').flatMap(({ name, operation }) =>
    bodiesOf(operation).some((body) => !body?.schema.$ref) ? [name] : [],
  )

  expect(unnamed).toEqual([])
  const schemas = Object.entries<Schema>(served.components.schemas)
  expect(schemas.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([])
})

const verbs =
  /^(Get|List|Create|Create or replace|Update|Delete|Cancel|Complete|End|Resume|Rotate|Enable|Disable|Replay|Check|Verify|Roll back|Disconnect|Revoke|Suspend|Reactivate|Add|Export|Approve|Trigger|Send) /

test('summaries begin with a verb and have at most nine words', () => {
  const summaries = operations.map(({ operation: { summary } }) => summary)

  expect(summaries.filter((text) => !verbs.test(text) || /[.,;:]/.test(text) || text.split(' ').length > 9)).toEqual([])
})

/** Self-explanatory names. */
const selfExplaining =
  /^(id|(tenant|integration|connectSession|link|connection|webhook|task|campaign|delivery|import|manageSession|erasure)Id|(created|updated|expires|cancelled|delivered|relinked|disconnected|checked|occurred|started|requested|finished)At|nextAttemptAt|workspace|displayName|email|returnUrls|url|events|event|type|kind|status|action|actor|name|reason|requestId|functionName|clientId|title|advice|code|label|scope|description|permissions|detail|data|members|outcome|durationMs|attempts|method|step|counts\.\w+|connection)$/

const membersOf = ({ properties = {}, items }: Schema, prefix = ''): Array<[string, Schema]> => [
  ...Object.entries(properties).flatMap(
    ([name, member]): Array<[string, Schema]> => [
      [`${prefix}${name}`, member],
      ...membersOf(member, name === 'counts' ? 'counts.' : ''),
    ],
  ),
  ...(items ? membersOf(items) : []),
]

test('fields and parameters have a description unless their name is self-explanatory', () => {
  const undescribed = described.flatMap(({ name: operationName, operation }) => {
    const members = [
      ...bodiesOf(operation).flatMap((body) => membersOf(body?.schema ?? {})),
      ...operation.parameters.map(({ name, description, schema }): [string, Schema] => [
        name,
        description ? { ...schema, description } : schema,
      ]),
    ]
    return members
      .filter(([name, { description }]) => !description && !selfExplaining.test(name))
      .map(([name]) => `${operationName}: ${name}`)
  })

  expect(undescribed).toEqual([])
})

test('problems of operations are named types', () => {
  const unnamed = operationsOf(served.paths, '#/paths').flatMap(({ name, operation }) =>
    Object.entries(operation.responses)
      .filter(([status, { $ref }]) => !status.startsWith('2') && status !== '303' && !$ref)
      .flatMap(([status, { content }]) => {
        const { oneOf = [] } = (content?.['application/problem+json']?.schema ?? {}) as { oneOf?: { $ref?: string }[] }
        const isNamed = oneOf.length > 2 && oneOf.every(({ $ref }) => /\/schemas\/\w+Problem$/.test($ref ?? ''))
        return isNamed ? [] : [`${name} ${status}`]
      }),
  )

  expect(unnamed).toEqual([])
  expect(served.components.responses.NotFound.content['application/problem+json'].schema).toEqual({
    $ref: '#/components/schemas/NotFoundProblem',
  })
  expect(served.components.schemas.NotFoundProblem.allOf[1].properties).toEqual({
    status: { const: 404 },
    code: { const: 'not_found' },
  })
})
