import { expect, test } from 'vitest'
import type { OpenMcp } from '../../../src/platform/gateway/domain/mcp.ts'
import { openPerson, type PersonAt } from '../../../src/platform/gateway/flows/servers/open-person.ts'
import type { Member } from '../../../src/platform/shared/domain/caller.ts'

const member = { workspace: 'acme', caller: { kind: 'api_key' } } as unknown as Member

const at = (name: string, toolPrefix?: string): PersonAt => ({
  id: 'fu_1',
  label: 'user',
  name,
  functionId: `id of ${name}`,
  toolPrefix,
})

const mcpOf = (name: string): OpenMcp =>
  ({
    id: name,
    memoryMb: 0,
    name,
    title: name,
    listTools: async () => [{ name: 'send_mail', inputSchema: {} }],
    isReading: () => true,
    call: async (tool: string) => `${name} ${tool}`,
  }) as unknown as OpenMcp

async function open(functions: PersonAt[], calls?: string[]) {
  const opened: string[] = []
  const mcp = await openPerson(
    { functionsOf: async () => functions },
    member,
    'user-1',
    { calls: calls ?? [], lists: calls === undefined },
    async (_by, name) => {
      opened.push(name)
      return mcpOf(name)
    },
  )
  return { mcp, opened }
}

const namesOf = async (functions: PersonAt[]) => {
  const { mcp } = await open(functions)
  return (await mcp.listTools(undefined as never)).map(({ name }) => name)
}

test('tools have the prefix of their function, or else its name', async () => {
  expect(await namesOf([at('gmail-k3v9', 'gmail-work'), at('gmail-x2m7')])).toEqual([
    'gmail-work_send_mail',
    'gmail-x2m7_send_mail',
  ])
})

test.each([
  ['two functions have the same prefix', [at('a', 'gmail-work'), at('b', 'gmail-work')], ['a', 'b']],
  ['a prefix is the name of another function', [at('a', 'b'), at('b')], ['a', 'b']],
  ['two apps and aliases join to one text', [at('a', 'google-drive-work'), at('b', 'google-drive-work')], ['a', 'b']],
  ['two functions swap their names', [at('a', 'b'), at('b', 'a')], ['a', 'b']],
])('no tool is ambiguous if %s', async (_, functions, prefixes) => {
  expect(await namesOf(functions)).toEqual(prefixes.map((prefix) => `${prefix}_send_mail`))
})

test.each(['gmail-work_send_mail', 'gmail-k3v9_send_mail'])(
  '%s calls the function, and opens no other',
  async (tool) => {
    const { mcp, opened } = await open([at('gmail-k3v9', 'gmail-work'), at('gmail-x2m7', 'gmail-private')], [tool])

    expect(await mcp.call(tool, {}, undefined as never)).toBe('gmail-k3v9 send_mail')
    expect(opened).toEqual(['gmail-k3v9'])
  },
)

test.each(['gmail-old_send_mail', 'GMAIL-WORK_send_mail', '_send_mail', 'send_mail', '__proto___x'])(
  '%s calls nothing',
  async (tool) => {
    const { mcp, opened } = await open([at('gmail-k3v9', 'gmail-work')], [tool])

    expect(await mcp.call(tool, {}, undefined as never)).toBeUndefined()
    expect(opened).toEqual([])
  },
)
