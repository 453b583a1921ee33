// Checks API responses against /openapi.json of the same program.
import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { Config } from '../../../src/onboarding/config.ts'
import { escaped, partAt, schemasOf } from './document-schemas.ts'

export type Answer = { method: string; path: string; status: number; headers: Headers; text: string }

type Reference = { $ref?: string }
type Header = Reference & { required?: boolean; schema?: object }
type ResponseObject = Reference & { headers?: Record<string, Header>; content?: Record<string, object> }
type Operation = { responses: Record<string, ResponseObject> }
type Document = { paths: Record<string, Record<string, Operation>> }

/**
 * Reports what the document does not describe. The document depends on one setting (see `apiRoutes`) and is cached per
 * value, because creating it is slow.
 */
export function documentedAnswers(
  base: string,
  { completion }: Pick<Config, 'completion'>,
): (answer: Answer) => Promise<string[]> {
  return async (answer) => {
    const reader = byCompletion.get(completion) ?? (await readDocument(base))
    byCompletion.set(completion, reader)
    return problemsOf(reader, answer)
  }
}

const byCompletion = new Map<Config['completion'], Reader>()

export const expectDocumented =
  (problemsIn: ReturnType<typeof documentedAnswers>) =>
  async (answer: Answer): Promise<void> => {
    const problems = await problemsIn(answer)
    const { method, path, status } = answer
    if (problems.length > 0) throw new Error(`${method} ${path} ${status} is not as documented: ${problems.join('; ')}`)
  }

export const answerBy = (method: string, path: string, answer: ReceivedAnswer): Answer => ({
  method,
  path,
  status: answer.status,
  headers: new Headers(answer.headers),
  text: answer.text,
})

type ReceivedAnswer = { status: number; headers: Record<string, string>; text: string }

type Reader = {
  document: Document
  addresses: Array<{ path: string; pattern: RegExp }>
  at<T extends Reference>(part: T, pointer: string): { part: T; pointer: string }
  validator(pointer: string): ValidateFunction
}

async function readDocument(base: string): Promise<Reader> {
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as Document
  return {
    document,
    addresses: Object.keys(document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    })),
    at: (part, pointer) =>
      part.$ref ? { part: partAt(document, part.$ref) as typeof part, pointer: part.$ref } : { part, pointer },
    validator: schemasOf(document),
  }
}

function problemsOf(reader: Reader, answer: Answer): string[] {
  const place = operationAt(reader, answer)
  if (!place) return outsideProblems(reader, answer)
  const pointer = `${place.pointer}/responses/${answer.status}`
  const described = place.operation.responses[answer.status]
  if (!described) return ['this status is not documented']
  const found = reader.at(described, pointer)
  return [
    ...headerProblems(reader, found.part, found.pointer, answer.headers),
    ...bodyProblems(reader, found.part, found.pointer, answer),
  ]
}

/** Undocumented paths may only return errors. */
function outsideProblems(reader: Reader, { status, headers, text }: Answer): string[] {
  if (![401, 404, 405].includes(status)) return ['this route is not documented']
  if (!isOfType(headers, 'application/problem+json')) return [`content type ${headers.get('content-type')}`]
  return schemaProblems(reader, '#/components/schemas/Problem', JSON.parse(text))
}

function operationAt({ document: { paths }, addresses }: Reader, { method, path }: Answer) {
  const [asked = ''] = path.split('?')
  const fitting = addresses.find(({ pattern }) => pattern.test(asked))?.path
  const operation = fitting && paths[fitting]?.[method.toLowerCase()]
  return operation && { operation, pointer: `#/paths/${escaped(fitting)}/${method.toLowerCase()}` }
}

/** Transport and security headers that every response has. */
const plainHeaders =
  /^(date|connection|keep-alive|transfer-encoding|content-(type|length|security-policy)|cache-control|vary|x-frame-options|x-content-type-options|x-dns-prefetch-control|x-download-options|x-permitted-cross-domain-policies|x-xss-protection|referrer-policy|origin-agent-cluster|cross-origin-.*|strict-transport-security)$/

function headerProblems(reader: Reader, { headers: known = {} }: ResponseObject, pointer: string, given: Headers) {
  const names = Object.keys(known).map((name) => name.toLowerCase())
  const unknown = [...given.keys()].filter((name) => !plainHeaders.test(name) && !names.includes(name))
  const wrong = Object.entries(known).flatMap(([name, header]) => {
    const found = reader.at(header, `${pointer}/headers/${escaped(name)}`)
    const value = given.get(name)
    if (value === null) return found.part.required ? [`${name} is missing`] : []
    return schemaProblems(reader, `${found.pointer}/schema`, value).map((problem) => `${name} ${problem}`)
  })
  return [...unknown.map((name) => `the header ${name} is not documented`), ...wrong]
}

function bodyProblems(
  reader: Reader,
  { content }: ResponseObject,
  pointer: string,
  { headers, text }: Answer,
): string[] {
  if (!content) return text === '' ? [] : ['no body is documented']
  const type = Object.keys(content).find((each) => isOfType(headers, each))
  if (!type) return [`the content type ${headers.get('content-type')} is not documented`]
  const body = type.endsWith('json') ? JSON.parse(text) : text
  return schemaProblems(reader, `${pointer}/content/${escaped(type)}/schema`, body)
}

function schemaProblems(reader: Reader, pointer: string, value: unknown): string[] {
  const validate = reader.validator(pointer)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`,
  )
}

const isOfType = (headers: Headers, type: string) => headers.get('content-type') === `${type}; charset=utf-8`
