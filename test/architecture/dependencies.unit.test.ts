import { join } from 'node:path/posix'
import { expect, test } from 'vitest'
import { readDocument, tableRows } from './documents.ts'

const manifest = JSON.parse(readDocument('package.json'))
const tools = JSON.parse(readDocument('test/package.json'))
const document = readDocument('docs/dependencies.md')

test.each(['dependencies', 'optionalDependencies', 'devDependencies', 'overrides'])(
  'docs/dependencies.md has a reason for all %s, and no other packages',
  (kind) => {
    expect(Object.keys(reasons(kind)).sort()).toEqual(Object.keys(manifest[kind] ?? {}).sort())
    expect(Object.values(reasons(kind))).not.toContain('')
  },
)

test('docs/dependencies.md has a reason for each dependency of the client', () => {
  const { dependencies, devDependencies } = JSON.parse(readDocument('packages/client/package.json'))

  expect(Object.keys(reasons('packages/client')).sort()).toEqual(
    Object.keys({ ...dependencies, ...devDependencies }).sort(),
  )
})

test('docs/dependencies.md has a reason for each package that tests use', () => {
  expect(Object.keys(reasons('test')).sort()).toEqual(Object.keys(tools.devDependencies).sort())
})

test('docs/dependencies.md has a reason for each package that the button’s tests use', () => {
  const { dependencies, devDependencies } = JSON.parse(readDocument('packages/connect/package.json'))

  expect(dependencies).toBeUndefined()
  expect(Object.keys(reasons('packages/connect')).sort()).toEqual(Object.keys(devDependencies).sort())
})

test('docs/dependencies.md has a reason for each dependency of the CLI', () => {
  const { dependencies } = JSON.parse(readDocument('packages/cli/package.json'))

  expect(Object.keys(reasons('packages/cli')).sort()).toEqual(Object.keys(dependencies).sort())
})

test('docs/dependencies.md has a reason for each dependency of the Python client', () => {
  const [, list = ''] = /^dependencies = \[\n([\s\S]*?)^\]/m.exec(readDocument('packages/python/pyproject.toml')) ?? []
  const dependencies = [...list.matchAll(/"([\w-]+)/g)].map(([, name]) => name)

  expect(Object.keys(reasons('packages/python')).sort()).toEqual(dependencies.sort())
})

test('docs/dependencies.md explains each pinned version', () => {
  const kinds = ['dependencies', 'optionalDependencies', 'devDependencies', 'overrides']
  const versions = { ...manifest, test: tools.devDependencies }
  const pinned = [...kinds, 'test'].flatMap((kind) =>
    Object.keys(versions[kind] ?? {})
      .filter((name) => /^\d/.test(versions[kind][name]))
      .filter((name) => !/\b(Held|Pinned)\b/.test(reasons(kind)[name] ?? '')),
  )

  expect(pinned).toEqual([])
})

test('npm start installs at most 320 packages', () => {
  expect(packagesOfStart().size).toBeLessThanOrEqual(320)
})

type Locked = Partial<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies', object>
> &
  Partial<Record<'os' | 'cpu' | 'libc', string[]>> & { peerDependenciesMeta?: Record<string, { optional?: boolean }> }

/** `npm ci --workspaces=false` on Linux, from the lock file. */
function packagesOfStart(): Set<string> {
  const locked: Record<string, Locked> = JSON.parse(readDocument('package-lock.json')).packages
  const isHere = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Locked) =>
    os.includes('linux') && cpu.includes('x64') && libc.includes('glibc')
  const found = new Set<string>()
  const add = (from: string) => {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      locked[from] ?? {}
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
    const tools = from === '' ? devDependencies : {}
    for (const name of [...Object.keys({ ...dependencies, ...tools, ...optionalDependencies }), ...peers]) {
      let folder = from
      while (!locked[join(folder, 'node_modules', name)] && folder)
        folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')
      const path = join(folder, 'node_modules', name)
      if (!locked[path] || found.has(path) || !isHere(locked[path])) continue
      found.add(path)
      add(path)
    }
  }
  add('')
  return found
}

test('the LTS release is the same in the workflow, the image and the script', () => {
  const [, script] = /const version = '(\d+)\./.exec(readDocument('scripts/set-up/lts-node.mjs')) ?? []
  const [, image] = /^ARG NODE_IMAGE=node:(\d+)\./m.exec(readDocument('Dockerfile')) ?? []
  const [, workflow] = /node: \['[\d.]+', '(\d+)'\]/.exec(readDocument('.github/workflows/ci.yml')) ?? []

  expect([image, workflow]).toEqual([script, script])
})

/** Package and reason, from the section whose heading names the kind. */
function reasons(kind: string): Record<string, string> {
  const section = document.split(/^## /m).find((text) => text.split('\n', 1)[0]?.includes(`\`${kind}\``)) ?? ''
  const rows = tableRows(section, /^`[^`]+`$/)
  return Object.fromEntries(rows.map(([name = '', reason = '']) => [name.slice(1, -1), reason.trim()]))
}
