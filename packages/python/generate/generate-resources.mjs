// Generates one method per API route, and the table of operations.
import { notice } from './generate-types.mjs'

/**
 * @typedef {Record<string, any>} Operation
 * @typedef {{ paths: Record<string, Record<string, Operation>>, components: { schemas: Record<string, any> } }} ApiDocument
 * @typedef {{ operationId: string, client: string, clientNote: string | undefined }} NamedRoute
 * @typedef {{ name: string, in: string, schema: Record<string, any> }} Parameter
 */

const imports = `from __future__ import annotations

from typing import Literal, cast

from .. import types
from .._calls import OMITTED, CallOptions
from .lists import AsyncItemList
from .transport import AsyncResource

`

/**
 * @param {ApiDocument} document
 * @param {readonly NamedRoute[]} routes
 * @param {(schema: Record<string, any>) => string} typeOfParameter
 * @returns {string}
 */
export function generateResources(document, routes, typeOfParameter) {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const named = methodNames(routes)
  /** @type {Record<string, string[]>} */
  const methods = {}
  for (const { operationId, client, clientNote } of routes) {
    const [resource = '', name = ''] = client.split('.')
    const operation = operations.find((each) => each.operationId === operationId) ?? {}
    const note = clientNote === undefined ? '' : `        """${inPython(clientNote, named)}"""\n`
    methods[resource] ??= []
    methods[resource].push(methodOf(document, operation, snake(name), note, typeOfParameter))
  }
  const classes = Object.entries(methods).map(
    ([name, texts]) => `class Async${pascal(name)}(AsyncResource):\n${texts.join('\n')}`,
  )
  return `${notice}${imports}\n${classes.join('\n\n')}`
}

/** @param {ApiDocument} document */
export function generateOperations({ paths }) {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `    "${operationId}": ("${method.toUpperCase()}", "${path}"),\n`,
    ),
  )
  return `${notice}OPERATIONS = {\n${rows.sort().join('')}}\n`
}

/**
 * @param {ApiDocument} document
 * @param {Operation} operation
 * @param {string} name
 * @param {string} note
 * @param {(schema: Record<string, any>) => string} typeOfParameter
 */
function methodOf({ components }, operation, name, note, typeOfParameter) {
  const { operationId, parameters, requestBody } = operation
  const answers = answersOf(operation)
  const items = components.schemas[answers[0] ?? '']?.properties?.data?.items
  const path = parametersIn('path', parameters)
  const query = parametersIn('query', parameters).filter((each) => !items || each.name !== 'cursor')
  const taken = [...path.map((each) => `${argumentOf(each)}: ${typeOfParameter(each.schema)}`)]
  if (requestBody) taken.push(bodyOf(requestBody))
  const named = query.map((each) => namedArgument(each, typeOfParameter(each.schema)))
  const all = ['self', ...taken, '*', ...named, 'options: CallOptions | None = None']
  const values = [
    `"${operationId}"`,
    ...given('params', path),
    ...given('query', query),
    ...(requestBody ? ['body=body'] : []),
    'options=options',
  ]
  const signature =
    all.length > 5 ? `(\n${all.map((each) => `        ${each},\n`).join('')}    )` : `(${all.join(', ')})`
  if (items) {
    const list = `AsyncItemList[types.${items.$ref.split('/').at(-1)}, types.${answers[0]}]`
    return `    def ${name}${signature} -> ${list}:\n${note}        return AsyncItemList(self._transport, ${values.join(', ')})\n`
  }
  const call = `await self._transport.send(${values.join(', ')})`
  const answer = answers.map((each) => `types.${each}`).join(' | ')
  const result = answer ? `return cast("${answer}", ${call})` : call
  return `    async def ${name}${signature} -> ${answer || 'None'}:\n${note}        ${result}\n`
}

/**
 * @param {Operation} operation
 * @returns {string[]}
 */
function answersOf({ responses }) {
  const statuses = Object.keys(responses).filter((status) => status.startsWith('2'))
  const schemas = statuses.map((status) => responses[status].content?.['application/json'].schema.$ref)
  return schemas.filter((each) => each !== undefined).map((each) => each.split('/').at(-1))
}

/** @param {Record<string, any>} requestBody */
function bodyOf({ required, content }) {
  const type = `types.${content['application/json'].schema.$ref.split('/').at(-1)}`
  return required ? `body: ${type}` : `body: ${type} | None = None`
}

/**
 * A missing user must not list the connections of all users, so None is not the same as no argument.
 * @param {Parameter} parameter
 * @param {string} type
 */
const namedArgument = (parameter, type) =>
  parameter.name === 'endUserId'
    ? `${argumentOf(parameter)}: ${type} = OMITTED`
    : `${argumentOf(parameter)}: ${type} | None = None`

/**
 * @param {string} name
 * @param {Parameter[]} parameters
 */
const given = (name, parameters) =>
  parameters.length === 0
    ? []
    : [`${name}={${parameters.map((each) => `"${each.name}": ${argumentOf(each)}`).join(', ')}}`]

/**
 * @param {'path' | 'query'} place
 * @param {Parameter[]} parameters
 */
const parametersIn = (place, parameters) => parameters.filter((each) => each.in === place)

const keywords = ['from']

/** @param {Parameter} parameter */
const argumentOf = ({ name }) => (keywords.includes(name) ? `${name}_` : snake(name))

/** @param {readonly NamedRoute[]} routes */
const methodNames = (routes) =>
  new Set([
    ...routes.flatMap(({ client }) => client.split('.')),
    'waitFor',
    'waitForTask',
    'waitForDeletion',
    'beginRelink',
  ])

/**
 * Names of methods in Python. Names of members stay as they are.
 * @param {string} note
 * @param {Set<string>} methods
 */
const inPython = (note, methods) =>
  note.replaceAll(/`[^`]+`/g, (code) => code.replaceAll(/\w+/g, (word) => (methods.has(word) ? snake(word) : word)))

/** @param {string} name */
const snake = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** @param {string} name */
const pascal = (name) => name.charAt(0).toUpperCase() + name.slice(1)
