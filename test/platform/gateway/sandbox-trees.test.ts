import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FolderTree } from '../../../src/contract/gateway/sandboxes.ts'
import { diskSandboxFiles } from '../../../src/platform/gateway/adapters/sandbox-files.ts'
import type { Listing } from '../../../src/platform/gateway/domain/sandbox/sandbox.ts'
import type { Workload } from '../../../src/platform/gateway/domain/workload.ts'
import { openSandbox } from '../../../src/platform/gateway/flows/open-sandbox.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'

async function sandboxWith(filesIn: Record<string, number>) {
  const root = temporaryFolder()
  for (const [folder, count] of Object.entries(filesIn)) {
    const path = join(root, 'sandboxes', 'acme', 'id', folder)
    mkdirSync(path, { recursive: true })
    for (let at = 0; at < count; at++) writeFileSync(join(path, `${at}`), '')
  }
  const sandbox = {
    id: 'id',
    name: 'box',
    status: 'DEPLOYED',
    volumes: [],
    drives: [],
    functions: [],
  } as unknown as Workload
  const ports = {
    findWorkload: async () => sandbox,
    findStorage: async () => new Map(),
    sandboxesWithImages: async () => [],
    openAccounts: async () => undefined,
    runCommand: () => Promise.reject(new Error('not asked for')),
    files: diskSandboxFiles(root),
    isContainer: () => false,
    filesIn: () => diskSandboxFiles(root),
  }
  return openSandbox(ports, 'acme', 'box')
}

const sizeOf = ({ files, subdirectories }: Listing): number =>
  files.length + subdirectories.reduce((sum: number, inner) => sum + 1 + sizeOf(inner as Listing), 0)

test('a truncated tree is marked at the folder and at its parents', async () => {
  const { list } = await sandboxWith({ 'left/full': 6_000, right: 6_000, small: 1 })

  const tree = await list('/', true)

  expect(FolderTree.parse(tree)).toEqual(tree)
  expect(sizeOf(tree)).toBe(10_000)
  expect(tree.truncated).toBe(true)
  expect(tree.subdirectories).toMatchObject([{ name: 'left' }, { name: 'right', truncated: true }, { name: 'small' }])
  expect(tree.subdirectories[0]).not.toHaveProperty('truncated')
})

test('a folder with more entries than shown is marked, and a complete one is not', async () => {
  const { list } = await sandboxWith({ many: 10_001, few: 3 })

  const [many, few, root] = await Promise.all([list('/many', false), list('/few', false), list('/', false)])

  expect([many.files.length, many.truncated]).toEqual([10_000, true])
  expect([few, root].map((folder) => 'truncated' in folder)).toEqual([false, false])
})
