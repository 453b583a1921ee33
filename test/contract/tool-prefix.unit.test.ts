import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { toolPrefixPattern } from '../../src/contract/control-plane/workloads.ts'
import { aliasPattern, maxAliasLength, toolPrefixOf } from '../../src/onboarding/domain/linking/connection-names.ts'
import { toolPrefixIn } from '../../src/platform/control-plane/domain/resource.ts'

const alias = 'a'.repeat(maxAliasLength)

/** Many MCP clients reject longer names. */
const maxToolName = 64

test('a shipped tool with the longest alias has a name that MCP clients accept', () => {
  const folder = new URL('../../catalogue/tools/', import.meta.url)
  const long = readdirSync(folder).flatMap((file) => {
    const tools: Array<{ name: string }> = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    const prefix = toolPrefixOf({ integration: file.replace('.json', ''), alias })
    return tools.map(({ name }) => `${prefix}_${name}`).filter((name) => name.length > maxToolName)
  })

  expect(long).toEqual([])
})

test.each(['work', 'a', 'team-2', alias])('the platform accepts the prefix of the alias %s', (each) => {
  expect(each).toMatch(aliasPattern)
  const prefix = toolPrefixOf({ integration: 'google-drive', alias: each })
  expect(prefix).toMatch(toolPrefixPattern)
  expect(toolPrefixIn({ labels: { 'tool-prefix': String(prefix) } })).toBe(prefix)
})

test.each(['work_2', 'Work', '-work', 'work-', 'a--b', '', 'wörk', 'work\n', 'a b', '__proto__'])(
  'no alias is %j',
  (each) => {
    expect(each).not.toMatch(aliasPattern)
  },
)

test.each([{ 'tool-prefix': 'a_b' }, { 'tool-prefix': 'A' }, { 'tool-prefix': '' }, {}])(
  'the platform ignores the labels %j',
  (labels) => {
    expect(toolPrefixIn({ labels: labels as Record<string, string> })).toBeUndefined()
  },
)
