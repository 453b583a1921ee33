// What a tenant reads in a generated client: summaries, descriptions and examples of the OpenAPI document.
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { apiRoutes } from '../../../src/onboarding/app.ts'
import type { Flows } from '../../../src/onboarding/flows.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'

const publicUrl = 'https://connect.example.com'

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
  responses: Record<string, { content?: Content }>
}

/** As it is served: what is undefined is not in it. Describing a route calls no flow. */
const document = JSON.parse(
  JSON.stringify(openApiDocument(apiRoutes({ flows: {} as Flows, publicUrl }), publicUrl)),
) as { paths: Record<string, Record<string, Operation>> }

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
)

const bodiesOf = ({ requestBody, responses }: Operation) => [
  ...(requestBody ? [requestBody.content['application/json']] : []),
  ...Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => content?.['application/json'] ?? []),
]

const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
formats.default(ajv)

test.each(operations)('$name has examples, and each is what its schema asks for', ({ operation }) => {
  for (const body of bodiesOf(operation)) {
    expect(body?.example).toBeDefined()
    const validate = ajv.compile(body?.schema ?? {})
    validate(body?.example)
    expect(validate.errors ?? []).toEqual([])
  }
})

const verbs =
  /^(Get|List|Create|Create or replace|Update|Delete|Cancel|Complete|Resume|Rotate|Enable|Replay|Check|Verify|Roll back|Disconnect) /

test.each(operations)('$name is summed up by a verb and a noun', ({ operation: { summary } }) => {
  expect(summary).toMatch(verbs)
  expect(summary).not.toMatch(/[.,;:]/)
  expect(summary.split(' ').length).toBeLessThan(10)
})

/** Names that say it all. Anything else is described where it stands. */
const selfExplaining =
  /^(id|(tenant|integration|connectSession|link|connection|webhook|task|campaign|delivery)Id|(created|updated|expires|cancelled|delivered|relinked|disconnected|checked|occurred|started|finished)At|nextAttemptAt|workspace|displayName|email|returnUrls|url|events|event|type|kind|status|action|actor|name|reason|requestId|functionName|clientId|title|advice|code|label|scope|description|permissions|detail|data|members|outcome|durationMs|attempts|method|step|counts\.\w+|connection)$/

const membersOf = ({ properties = {}, items }: Schema, prefix = ''): Array<[string, Schema]> => [
  ...Object.entries(properties).flatMap(
    ([name, member]): Array<[string, Schema]> => [
      [`${prefix}${name}`, member],
      ...membersOf(member, name === 'counts' ? 'counts.' : ''),
    ],
  ),
  ...(items ? membersOf(items) : []),
]

test.each(operations)('$name describes every member and parameter whose name does not say it all', ({ operation }) => {
  const members = [
    ...bodiesOf(operation).flatMap((body) => membersOf(body?.schema ?? {})),
    ...operation.parameters.map(({ name, description, schema }): [string, Schema] => [
      name,
      description ? { ...schema, description } : schema,
    ]),
  ]

  expect(members.filter(([name, { description }]) => !description && !selfExplaining.test(name))).toEqual([])
})
