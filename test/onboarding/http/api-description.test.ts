// What a tenant reads in a generated client: summaries, descriptions and examples of the OpenAPI document.
import { expect, test } from 'vitest'
import { inlineSchemas } from '../../../src/kit/http/openapi/inline-schemas.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
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

/** As it is served: what is undefined is not in it. */
const served = JSON.parse(JSON.stringify(openApiDocument(describedApi('https://connect.example.com'))))

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

function expectExample(pointer: string, type: string) {
  const { example } = partAt(served, `${pointer}/content/${escaped(type)}`) as Content[string]
  expect(example).toBeDefined()
  const validate = validatorAt(`${pointer}/content/${escaped(type)}/schema`)
  validate(example)
  expect(validate.errors ?? []).toEqual([])
}

test.each(described)('$name has examples, and each is what its schema asks for', ({ operation, pointer }) => {
  if (operation.requestBody) expectExample(`${pointer}/requestBody`, 'application/json')
  for (const [status, { content }] of Object.entries(operation.responses)) {
    if (status.startsWith('2') && content?.['application/json'])
      expectExample(`${pointer}/responses/${status}`, 'application/json')
  }
})

test.each(operations)(
  '$name has an example of each problem, which is one of those it names',
  ({ operation, pointer }) => {
    const problems = Object.entries(operation.responses).filter(([status]) => !status.startsWith('2'))
    expect(problems.length).toBeGreaterThan(5)
    for (const [status, { $ref }] of problems) {
      expectExample($ref ?? `${pointer}/responses/${status}`, 'application/problem+json')
    }
  },
)

test('every body and every answer is a schema with a name and a description', () => {
  const unnamed = operationsOf(served.paths, '#/paths').flatMap(({ name, operation }) =>
    bodiesOf(operation).some((body) => !body?.schema.$ref) ? [name] : [],
  )

  expect(unnamed).toEqual([])
  const schemas = Object.entries<Schema>(served.components.schemas)
  expect(schemas.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([])
})

const verbs =
  /^(Get|List|Create|Create or replace|Update|Delete|Cancel|Complete|Resume|Rotate|Enable|Disable|Replay|Check|Verify|Roll back|Disconnect|Revoke|Suspend|Reactivate|Add|Export|Approve|Trigger) /

test.each(operations)('$name is summed up by a verb and a noun', ({ operation: { summary } }) => {
  expect(summary).toMatch(verbs)
  expect(summary).not.toMatch(/[.,;:]/)
  expect(summary.split(' ').length).toBeLessThan(10)
})

/** Names that say it all. Anything else is described where it stands. */
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

test.each(described)('$name describes every member and parameter whose name does not say it all', ({ operation }) => {
  const members = [
    ...bodiesOf(operation).flatMap((body) => membersOf(body?.schema ?? {})),
    ...operation.parameters.map(({ name, description, schema }): [string, Schema] => [
      name,
      description ? { ...schema, description } : schema,
    ]),
  ]

  expect(members.filter(([name, { description }]) => !description && !selfExplaining.test(name))).toEqual([])
})
