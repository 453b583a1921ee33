// Real MCP clients log in to a function, list its tools and call one. docs/mcp-clients.md has what they declare.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readDocument, root, tableRows } from '../../architecture/documents.ts'
import { commandClients } from '../../support/mcp-clients/command-clients.ts'
import { appName, libraryClients } from '../../support/mcp-clients/library-clients.ts'
import { type RecordedWorld, recordedWorld } from '../../support/mcp-clients/recorded-world.ts'

let world: RecordedWorld

beforeAll(async () => {
  world = await recordedWorld()
}, 60_000)
afterAll(() => world.close())

const clients = { ...libraryClients, ...commandClients }
const documented = tableRows(readDocument('docs/mcp-clients.md'), /^`/).filter((cells) => cells.length === 8)

test('every client that is tested is in the table, and no other', () => {
  expect(documented.map(([name]) => name)).toEqual(Object.keys(clients).map((name) => `\`${name}\``))
})

test.each(Object.entries(clients))(
  '%s logs in, lists tools, calls one, and declares what the table says',
  async (name, run) => {
    world.forget()
    const before = world.calls()

    const { tools, result } = await run(world)

    expect(tools.some((tool) => tool.endsWith('list_files'))).toBe(true)
    expect(result).toContain('/api/files')
    expect(world.calls()).toBe(before + 1)
    const { registeredName, authMethod, grantTypes, name: inMcp, revision, elicitation } = world.declared()
    const own = (text: string) => text.replace(appName, 'set by the app').replace(world.mcpUrl, 'URL')
    const list = (values: string[]) => values.join(', ') || '–'
    expect(documented).toContainEqual([
      `\`${name}\``,
      versionOf(name),
      own(registeredName),
      authMethod ?? '–',
      list(grantTypes),
      own(inMcp),
      revision,
      list(elicitation),
    ])
    expect(world.clientProofs()).toEqual(['none'])
  },
  60_000,
)

function versionOf(name: string): string {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))
  return packages[`test/node_modules/${name}`]?.version ?? packages[`node_modules/${name}`]?.version
}
