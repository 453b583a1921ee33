// Generates the TypedDicts of the Python client from the OpenAPI document.
// TypedDicts, because answers stay plain JSON under the names of the documentation, and nothing is converted.

export const notice = '# Generated from the OpenAPI document by `npm run generate`. Not to be edited.\n'

/**
 * @typedef {Record<string, any>} Schema
 * @typedef {Record<string, Schema>} Schemas
 */

/** A longer list of values gets a name. */
const maxInlineValues = 6

/**
 * @param {{ components: { schemas: Schemas } }} document
 * @returns {{ text: string, typeOfParameter: (schema: Schema) => string }}
 */
export function generateTypes({ components }) {
  const types = namedTypes({ ...components.schemas, ...derivedSchemas(components.schemas) })
  return {
    text: `${notice}${imports}\n${[...types.literals.values(), ...types.classes, webhookEvent(types.events)].join('\n\n')}`,
    typeOfParameter: (schema) => typeOfParameter(schema, types.literals),
  }
}

const imports = `from __future__ import annotations

import sys
from typing import Any, Dict, List, Literal, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypedDict
else:
    from typing_extensions import NotRequired, TypedDict

`

/**
 * What the client takes or returns in another form than the API.
 * @param {Schemas} schemas
 * @returns {Schemas}
 */
function derivedSchemas({ ConnectSessionRequest = {}, RelinkSessionRequest = {}, Link = {} }) {
  const relink = without(RelinkSessionRequest, 'completionChallenge')
  const linked = { ...Link.properties, status: { type: 'string', const: 'linked' } }
  return {
    ConnectRequest: without(ConnectSessionRequest, 'completionChallenge'),
    RelinkRequest: { ...relink, required: [...relink.required, 'returnUrl'] },
    LinkedLink: { ...Link, properties: linked, required: [...Link.required, 'connection', 'connectionId'] },
  }
}

/**
 * @param {Schema} schema
 * @param {string} member
 */
function without({ properties, required, ...schema }, member) {
  const { [member]: _, ...others } = properties
  return { ...schema, properties: others, required: required.filter((/** @type {string} */ name) => name !== member) }
}

/** @param {Schemas} schemas */
function namedTypes(schemas) {
  /** @type {Map<string, string>} by values */
  const literals = new Map()
  /** @type {string[]} */
  const classes = []
  /** @type {string[]} */
  const events = []

  /** @type {(schema: Schema, name: string) => string} */
  function typeOf(schema, name) {
    if (schema.$ref) return schema.$ref.split('/').at(-1)
    if (schema.const !== undefined) return literalOf([schema.const])
    if (schema.enum)
      return schema.enum.length > maxInlineValues ? addLiteral(name, schema.enum) : literalOf(schema.enum)
    if (schema.properties) return addClass(name, schema)
    if (schema.type === 'array') return `List[${typeOf(schema.items, `${name}Item`)}]`
    if (schema.type === 'object') return `Dict[str, ${typeOf(schema.additionalProperties, `${name}Value`)}]`
    return scalarOf(schema)
  }

  /** @type {(name: string, values: string[]) => string} */
  function addLiteral(name, values) {
    literals.set(
      `${name} ${JSON.stringify(values)}`,
      `${name} = Literal[\n${values.map((each) => `    ${JSON.stringify(each)},\n`).join('')}]\n`,
    )
    return name
  }

  /** @type {(name: string, schema: Schema) => string} */
  function addClass(name, { properties, required = [], description }) {
    if (classes.some((each) => each.startsWith(`class ${name}(`))) throw new Error(`two types are named ${name}`)
    const at = classes.push('') - 1
    const isEvent = properties.type?.const !== undefined && name.endsWith('Event')
    if (isEvent) events.push(name)
    const members = Object.entries(isEvent ? { id: messageId, ...properties } : properties).map(([member, schema]) => {
      const type = typeOf(schema, `${name}${pascal(member)}`)
      const isRequired = required.includes(member) || schema === messageId
      return `    ${member}: ${isRequired ? type : `NotRequired[${type}]`}\n${docstring(schema.description)}`
    })
    classes[at] = `class ${name}(TypedDict):\n${docstring(description)}${description ? '\n' : ''}${members.join('')}`
    return name
  }

  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.allOf) continue // a Problem with its code, which `ApiError` has
    if (schema.enum) addLiteral(name, schema.enum)
    else addClass(name, schema)
  }
  return { literals, classes, events }
}

/** `verify_webhook` adds it. */
const messageId = {
  type: 'string',
  description: 'The `webhook-id` header. It is the same if the message is delivered again.',
}

/** @param {string[]} names */
const webhookEvent = (names) =>
  `# Discriminated by \`type\`.\nWebhookEvent = Union[\n${names.map((name) => `    ${name},\n`).join('')}]\n`

/**
 * @param {Schema} schema
 * @param {Map<string, string>} literals
 */
function typeOfParameter(schema, literals) {
  if (schema.$ref) return `types.${schema.$ref.split('/').at(-1)}`
  if (!schema.enum) return scalarOf(schema)
  const named = [...literals.keys()].find((key) => key.endsWith(` ${JSON.stringify(schema.enum)}`))
  return named ? `types.${named.split(' ')[0]}` : literalOf(schema.enum)
}

/** @param {unknown} value */
const constantOf = (value) => (typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value))

/** @param {unknown[]} values */
const literalOf = (values) => `Literal[${values.map(constantOf).join(', ')}]`

/** @param {Schema} schema */
const scalarOf = ({ type }) => ({ string: 'str', integer: 'int', number: 'float', boolean: 'bool' })[type] ?? 'Any'

/** @param {string | undefined} text */
const docstring = (text) => (text ? `    """${text.replaceAll('\\', '\\\\')}"""\n` : '')

/** @param {string} name */
const pascal = (name) => name.charAt(0).toUpperCase() + name.slice(1)
