// Checks the tools of the catalogue: names, hints, schemas, scopes and health checks.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { mayDestroy, placeholdersIn, readsOnly, type Tool } from '../../src/contract/integrations/tool.ts'
import { readJsonFolder } from '../../src/kit/installed/json-folder.ts'
import { shippedCatalogue } from '../../src/onboarding/integrations/catalogue.ts'

/** Verbs by hint. Add a new verb to one of these lists. */
const verbs = {
  reads: ['continue', 'describe', 'export', 'get', 'list', 'query', 'read', 'render', 'search'],
  adds: ['add', 'append', 'comment', 'copy', 'create', 'insert', 'note', 'post', 'reply', 'schedule', 'send'],
  destroys: [
    ...['accept', 'assign', 'cancel', 'clear', 'close', 'decline', 'delete', 'mark', 'move', 'refund', 'replace'],
    ...['reschedule', 'share', 'transition', 'update', 'write'],
  ],
}

const hintOf = (tool: Tool) => (readsOnly(tool) ? 'reads' : mayDestroy(tool) ? 'destroys' : 'adds')

type Property = { type?: string; description?: string; minimum?: number; maximum?: number }
const propertiesOf = ({ inputSchema }: Tool) => Object.entries(inputSchema.properties as Record<string, Property>)

/** With a file of tools. The others may have a tool for health checks in their provider's file. */
const products = [...readJsonFolder('catalogue/tools').keys()].map((id) => shippedCatalogue().get(id)!.profile())
const withTools = [...shippedCatalogue().values()]
  .map((entry) => entry.profile())
  .filter(({ tools }) => tools.length > 0)
type Product = (typeof products)[number]

const productsWhere = (isWrong: (product: Product) => boolean, among = withTools) =>
  among.filter(isWrong).map(({ id }) => id)

const toolsWhere = (isWrong: (tool: Tool, product: Product) => boolean) =>
  withTools.flatMap((product) =>
    product.tools.filter((tool) => isWrong(tool, product)).map(({ name }) => `${product.id} ${name}`),
  )

test('at least twenty products have tools', () => {
  expect(products.length).toBeGreaterThanOrEqual(20)
})

test('a product has five to fifteen tools', () => {
  expect(productsWhere(({ tools }) => tools.length < 5 || tools.length > 15, products)).toEqual([])
})

test('tools of a product have unique names and descriptions', () => {
  const repeats = ({ tools }: Product) =>
    new Set(tools.flatMap(({ name, description }) => [name, description])).size !== 2 * tools.length

  expect(productsWhere(repeats)).toEqual([])
})

test('a description is one sentence', () => {
  expect(toolsWhere(({ description }) => !/^[A-Z].{10,250}\.$/.test(description))).toEqual([])
})

test('a name is in snake case and begins with a verb that matches the hint', () => {
  const isWrong = (tool: Tool) =>
    !/^[a-z]+(_[a-z]+)*$/.test(tool.name) || !verbs[hintOf(tool)].includes(tool.name.split('_')[0] ?? '')

  expect(toolsWhere(isWrong)).toEqual([])
})

test('reading tools use GET or POST, and adding tools do not use DELETE', () => {
  const isWrong = (tool: Tool) => {
    const { method } = tool.request
    if (readsOnly(tool)) return !['GET', 'POST'].includes(method)
    return method === 'GET' || (method === 'DELETE' && tool.destructive === false)
  }

  expect(toolsWhere(isWrong)).toEqual([])
})

test('arguments have a type and a description, and integers have bounds', () => {
  const isWrong = ({ type, description, minimum, maximum }: Property) =>
    !type || !description || (type === 'integer' && (minimum === undefined || maximum === undefined))

  expect(toolsWhere((tool) => propertiesOf(tool).some(([, property]) => isWrong(property)))).toEqual([])
})

test('tools reject unknown arguments and require those of their address', () => {
  const isWrong = ({ inputSchema, request: { url } }: Tool, { inputs, keep }: Product) => {
    const kept = Object.keys({ ...inputs, ...keep.fromAnswer, ...keep.fromCallback })
    const required = inputSchema.required as string[]
    const declared = Object.keys(inputSchema.properties as object)
    const inAddress = placeholdersIn(url).filter((name) => !kept.includes(name))
    return (
      inputSchema.additionalProperties !== false ||
      inAddress.some((name) => !required.includes(name)) ||
      required.some((name) => !declared.includes(name))
    )
  }

  expect(toolsWhere(isWrong)).toEqual([])
})

test('tools need only scopes that the product requests', () => {
  const isWrong = (tool: Tool, { scopes }: Product) =>
    (tool.scopes ?? []).some((scope) => !scopes.some(({ name }) => name === scope))

  expect(toolsWhere(isWrong)).toEqual([])
})

test('a health check calls a reading tool with valid arguments', () => {
  const isWrong = ({ tools, health }: Product) => {
    const tool = tools.find(({ name }) => name === health.tool)
    if (!tool || !readsOnly(tool)) return true
    return !z.fromJSONSchema(tool.inputSchema as never).safeParse(health.arguments ?? {}).success
  }

  expect(productsWhere(isWrong)).toEqual([])
})

test('a live product whose account has an address at its API is tested by reading it', () => {
  const live = [...shippedCatalogue().values()].filter(({ tier }) => tier !== 'listed').map((entry) => entry.profile())
  const isUntested = ({ account, endpoints, apiHosts, health, rotation }: Product) =>
    account.from === 'userinfo' &&
    apiHosts.includes(endpoints?.userinfo?.split('/')[2] ?? '') &&
    health.tool === undefined &&
    rotation !== 'none'

  expect(productsWhere(isUntested, live)).toEqual([])
})

/**
 * Etsy and MYOB document no read that the requested scopes allow without a key of the app in a header. HighLevel reads
 * need the ID of a location, which tokens of agencies lack. Withings answers 200 to a dead token.
 */
const neverTested = ['etsy', 'highlevel', 'myob', 'withings']

test('other live products have a health check', () => {
  const live = [...shippedCatalogue().values()].filter(({ tier }) => tier !== 'listed').map((entry) => entry.profile())

  expect(productsWhere(({ health, rotation }) => health.tool === undefined && rotation !== 'none', live)).toEqual(
    neverTested,
  )
})
