// Generates the client's types and its table of operations from the OpenAPI document.
// openapi-typescript needs TypeScript 5, which only this package installs.
import openapiTS, { astToString } from 'openapi-typescript'

export const notice = '// Generated from the OpenAPI document by `npm run generate`. Not to be edited.\n'

/**
 * @typedef {Record<string, any>} Operation
 * @typedef {{ paths: Record<string, Record<string, Operation>> } & Record<string, any>} ApiDocument
 */

/**
 * @param {ApiDocument} document
 * @returns {Promise<Record<'openapi.ts' | 'operations.ts', string>>} by file name
 */
export async function generateTypes(document) {
  // Members with a default are optional in requests.
  const options = { alphabetize: true, defaultNonNullable: false }
  const ast = await openapiTS(/** @type {any} */ (withoutProblems(document)), options)
  return {
    'openapi.ts': `${notice}${shortened(astToString(ast))}`,
    'operations.ts': `${notice}${operationTable(document)}`,
  }
}

/**
 * Removes types that the client does not use, and members of type `never`.
 * @param {string} text
 */
const shortened = (text) =>
  text
    .replace(/^export interface paths \{\n[\s\S]*?^\}\n/m, '')
    .replaceAll(/^export type (?:webhooks|\$defs) = .*\n/gm, '')
    .replaceAll(/^ +(?:\w+\?: never;|headers: \{\n.*\n +\};)\n/gm, '')
    .replaceAll(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2))

/**
 * Removes problems, headers and descriptions, which would make the types three times as long.
 * @param {ApiDocument} document
 */
function withoutProblems(document) {
  const paths = mapOperations(document, ({ operationId, parameters, requestBody, responses }) => ({
    operationId,
    parameters: parameters.filter((/** @type {{ in: string }} */ each) => each.in !== 'header'),
    ...(requestBody && { requestBody: { ...requestBody, content: schemasOf(requestBody.content) } }),
    responses: Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { content }]) => [status, { description: '', ...(content && { content: schemasOf(content) }) }]),
    ),
  }))
  const { openapi, info, components } = document
  return { openapi, info, paths, components: { schemas: components.schemas } }
}

/** @param {Record<string, { schema: object }>} content */
const schemasOf = (content) =>
  Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]))

/**
 * @param {ApiDocument} document
 * @param {(operation: Operation) => Operation} change
 */
const mapOperations = ({ paths }, change) =>
  Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, change(operation)])),
    ]),
  )

/** @param {ApiDocument} document */
function operationTable({ paths }) {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `  ${operationId}: ['${method.toUpperCase()}', '${path}'],\n`,
    ),
  )
  return `export const operationTable = {\n${rows.sort().join('')}} as const\n`
}
