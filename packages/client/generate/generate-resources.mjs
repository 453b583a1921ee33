// Generates one method per API route. src/resources.ts adds the methods that do more.
import { notice } from './generate-types.mjs'

/**
 * @typedef {import('./generate-types.mjs').ApiDocument} ApiDocument
 * @typedef {import('./generate-types.mjs').Operation} Operation
 * @typedef {{ operationId: string, client: string, clientNote: string | undefined }} NamedRoute
 * @typedef {{ name: string, in: string, schema: { enum?: string[] } }} Parameter
 */

const imports = `import { List, type ListQuery } from './lists.ts'
import type { CallOptions, Send } from './transport.ts'
import type { Body, Query } from './types.ts'
`

/**
 * @param {ApiDocument} document
 * @param {readonly NamedRoute[]} routes
 * @returns {Record<'generated-resources.ts', string>} by file name
 */
export function generateResources(document, routes) {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  /** @type {Record<string, string>} */
  const methods = {}
  for (const { operationId, client, clientNote } of routes) {
    const [resource = '', name] = client.split('.')
    const operation = operations.find((each) => each.operationId === operationId) ?? {}
    const comment = clientNote === undefined ? '' : `    /** ${clientNote} */\n`
    const method = `${comment}    ${name}: ${methodOf(operation, isList(document, operation))},\n`
    methods[resource] = `${methods[resource] ?? ''}${method}`
  }
  const resources = Object.entries(methods).map(([name, text]) => `  ${name}: {\n${text}  },\n`)
  return {
    'generated-resources.ts': `${notice}${imports}
export const generatedResources = (send: Send) => ({
${resources.join('')}})
`,
  }
}

/**
 * @param {ApiDocument} document
 * @param {Operation} operation
 */
function isList({ components }, { responses }) {
  const name = responses[200]?.content?.['application/json'].schema.$ref?.split('/').at(-1)
  return components.schemas[name]?.properties?.data?.type === 'array'
}

/**
 * @param {Operation} operation
 * @param {boolean} list
 */
function methodOf({ operationId, parameters, requestBody }, list) {
  const id = `'${operationId}'`
  const path = parametersIn('path', parameters)
  const query = namesOf(parametersIn('query', parameters))
  const takes = path.map(({ name, schema }) => `${name}: ${unionOf(schema.enum) ?? 'string'}`)
  const sends = path.length > 0 ? [`params: { ${namesOf(path)} }`] : []
  let options = 'options?: CallOptions'
  if (requestBody) {
    takes.push(`body: Body<${id}>${requestBody.required ? '' : ' = {}'}`)
    sends.push('body')
  }
  if (query && list) {
    takes.push(`query?: ListQuery<${id}>`)
    sends.push('query')
  }
  if (query && !list) {
    options = `{ ${query}, ...options }: CallOptions & Query<${id}> = {}`
    sends.push(`query: { ${query} }`)
  }
  const call = list ? `new List(send, ${id}` : `send(${id}`
  return `(${[...takes, options].join(', ')}) =>\n      ${call}, { ${sends.join(', ')} }, options)`
}

/**
 * @param {'path' | 'query'} place
 * @param {Parameter[]} parameters
 */
const parametersIn = (place, parameters) => parameters.filter((each) => each.in === place)

/** @param {Parameter[]} parameters */
const namesOf = (parameters) => parameters.map(({ name }) => name).join(', ')

/** @param {string[] | undefined} values */
const unionOf = (values) => values?.map((value) => `'${value}'`).join(' | ')
