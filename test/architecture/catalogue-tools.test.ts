// Tools of the catalogue, held against each other: names, hints, schemas, scopes, and the tool that checks health.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { mayDestroy, placeholdersIn, readsOnly, type Tool } from '../../src/contract/integrations/tool.ts'
import { readJsonFolder } from '../../src/kit/installed/json-folder.ts'
import { shippedCatalogue } from '../../src/onboarding/integrations/catalogue.ts'

/** What the first word of a name promises; a name with another word belongs to one of these lists first. */
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

const products = [...readJsonFolder('catalogue/tools').keys()].map((id) => {
  const profile = shippedCatalogue().get(id)?.profile()
  return [id, { ...profile!, names: profile?.tools.map(({ name }) => name) ?? [] }] as const
})

test('at least twenty products have tools of their own', () => {
  expect(products.length).toBeGreaterThanOrEqual(20)
})

describe.each(products)('%s', (_id, { tools, names, scopes, health, inputs, keep }) => {
  test('has five to fifteen tools, each with a name and a sentence of its own', () => {
    const sentences = tools.map(({ description }) => description)

    expect(names.length).toBeGreaterThanOrEqual(5)
    expect(names.length).toBeLessThanOrEqual(15)
    expect(new Set([...names, ...sentences]).size).toBe(2 * names.length)
    expect(sentences.filter((text) => !/^[A-Z].{10,250}\.$/.test(text))).toEqual([])
  })

  test('names its tools after what they do, and tells clients the same', () => {
    const wrong = tools.filter((tool) => !verbs[hintOf(tool)].includes(tool.name.split('_')[0] ?? ''))

    expect(wrong.map((tool) => `${tool.name} ${hintOf(tool)}`)).toEqual([])
    expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([])
  })

  test('does not read by a method that changes something, or delete by a tool that only adds', () => {
    const wrong = tools.filter(({ request: { method }, ...tool }) =>
      readsOnly({ ...tool, request: { method } as Tool['request'] })
        ? !['GET', 'POST'].includes(method)
        : method === 'GET' || (method === 'DELETE' && tool.destructive === false),
    )

    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  test('says of every argument what it is, and how large a number may be', () => {
    const wrong = tools.flatMap((tool) =>
      propertiesOf(tool)
        .filter(
          ([, { type, description, minimum, maximum }]) =>
            !type || !description || (type === 'integer' && (minimum === undefined || maximum === undefined)),
        )
        .map(([name]) => `${tool.name}.${name}`),
    )

    expect(wrong).toEqual([])
  })

  test('takes no other arguments, and demands those of its addresses', () => {
    const kept = Object.keys({ ...inputs, ...keep.fromAnswer, ...keep.fromCallback })
    const wrong = tools.filter(({ inputSchema, request: { url } }) => {
      const required = inputSchema.required as string[]
      const declared = Object.keys(inputSchema.properties as object)
      const inAddress = placeholdersIn(url).filter((name) => !kept.includes(name))
      return (
        inputSchema.additionalProperties !== false ||
        inAddress.some((name) => !required.includes(name)) ||
        required.some((name) => !declared.includes(name))
      )
    })

    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  test('needs no scope that is not asked for', () => {
    const asked = scopes.map(({ name }) => name)
    const needed = tools.flatMap((tool) => tool.scopes ?? [])

    expect(needed.filter((scope) => !asked.includes(scope))).toEqual([])
  })

  test('has a tool that checks its health, only reads, and takes what it is called with', () => {
    const tool = tools.find(({ name }) => name === health.tool)

    expect(tool && readsOnly(tool)).toBe(true)
    expect(z.fromJSONSchema(tool!.inputSchema as never).safeParse(health.arguments ?? {}).error).toBeUndefined()
  })
})
