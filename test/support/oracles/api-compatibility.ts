// Whether a client that was written against one OpenAPI document still works with another, by docs/api-compatibility.md.

type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

type Body = { content?: Record<string, { schema: Schema }> }

type Operation = {
  parameters?: Array<{ name: string; in: string; required?: boolean; schema: Schema }>
  requestBody?: Body & { required?: boolean }
  responses: Record<string, Body>
}

export type ApiDocument = { paths: Record<string, Record<string, Operation>> }

export const breaksIn = (before: ApiDocument, now: ApiDocument): string[] =>
  Object.entries(before.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const today = now.paths[path]?.[method]
      const at = `${method.toUpperCase()} ${path}`
      return today ? operationBreaks(operation, today, at) : [`${at} was removed`]
    }),
  )

const operationBreaks = (before: Operation, now: Operation, at: string): string[] => [
  ...parameterBreaks(before, now, at),
  ...requestBodyBreaks(before, now, at),
  ...Object.entries(before.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content }]) => responseBreaks(content, now.responses[status], `${at} ${status}`)),
]

function parameterBreaks({ parameters: before = [] }: Operation, { parameters: now = [] }: Operation, at: string) {
  const find = (list: typeof now, { name, in: place }: (typeof now)[number]) =>
    list.find((each) => each.name === name && each.in === place)
  const kept = before.flatMap((parameter) => {
    const today = find(now, parameter)
    if (!today) return [`${at}: the parameter ${parameter.name} was removed`]
    return requestBreaks(parameter.schema, today.schema, `${at}: the parameter ${parameter.name}`)
  })
  const demanded = now
    .filter((parameter) => parameter.required && !find(before, parameter)?.required)
    .map(({ name }) => `${at}: the parameter ${name} is now required`)
  return [...kept, ...demanded]
}

function requestBodyBreaks({ requestBody: before }: Operation, { requestBody: now }: Operation, at: string): string[] {
  const demanded = now?.required && !before?.required ? [`${at}: a request body is now required`] : []
  const [was, is] = [before, now].map((body) => body?.content?.['application/json']?.schema)
  if (!was) return demanded
  if (!is) return [`${at}: the request body was removed`]
  return [...demanded, ...requestBreaks(was, is, `${at}: request`)]
}

/** Requests may only become more permissive. */
function requestBreaks(before: Schema, today: Schema, at: string): string[] {
  const now = before.anyOf ? today : withoutNull(today)
  const gone = valuesOf(before).filter((value) => valuesOf(now).length > 0 && !valuesOf(now).includes(value))
  return [
    ...typeBreaks(before, now, at),
    ...gone.map((value) => `${at}: the value ${JSON.stringify(value)} was removed`),
    ...(now.required ?? [])
      .filter((name) => !before.required?.includes(name))
      .map((name) => `${at}: the member ${name} is now required`),
    ...memberBreaks(before, now, at, requestBreaks),
  ]
}

function withoutNull(schema: Schema): Schema {
  const [one, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  return one && others.length === 0 ? one : schema
}

function responseBreaks(before: Body['content'], now: Body | undefined, at: string): string[] {
  if (!now) return [`${at} was removed`]
  return Object.entries(before ?? {}).flatMap(([type, { schema }]) => {
    const today = now.content?.[type]?.schema
    return today ? answerBreaks(schema, today, at) : [`${at}: ${type} was removed`]
  })
}

/** Responses may only gain members. New enum values are additions. */
const answerBreaks = (before: Schema, now: Schema, at: string): string[] => [
  ...typeBreaks(before, now, at),
  ...(before.required ?? [])
    .filter((name) => now.properties?.[name] && !now.required?.includes(name))
    .map((name) => `${at}: the member ${name} may now be absent`),
  ...memberBreaks(before, now, at, answerBreaks),
]

function memberBreaks(before: Schema, now: Schema, at: string, compare: typeof requestBreaks): string[] {
  const members = Object.entries(before.properties ?? {}).flatMap(([name, schema]) => {
    const today = now.properties?.[name]
    return today ? compare(schema, today, `${at}.${name}`) : [`${at}: the member ${name} was removed`]
  })
  return before.items && now.items ? [...members, ...compare(before.items, now.items, `${at}[]`)] : members
}

const typeBreaks = ({ type: before }: Schema, { type: now }: Schema, at: string): string[] =>
  JSON.stringify(before) === JSON.stringify(now)
    ? []
    : [`${at}: the type ${JSON.stringify(before)} is now ${JSON.stringify(now)}`]

const valuesOf = ({ enum: values, const: only }: Schema): unknown[] => values ?? (only === undefined ? [] : [only])
