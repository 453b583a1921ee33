// The package as it is published: built, packed, and used by somebody with an older or a newer compiler than ours.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/processes/stores.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const source = join(root, 'packages/client')
const compilers = {
  'TypeScript 5': join(source, 'node_modules/typescript/bin/tsc'),
  'TypeScript 7': join(root, 'node_modules/typescript/bin/tsc'),
}

let consumer: string
let installed: string

beforeAll(() => {
  consumer = temporaryFolder()
  installed = join(consumer, 'node_modules/@causeway/client')
  mkdirSync(installed, { recursive: true })
  for (const file of ['package.json', 'README.md', 'LICENSE']) cpSync(join(source, file), join(installed, file))
  run(compilers['TypeScript 7'], '-p', join(source, 'tsconfig.json'), '--outDir', join(installed, 'dist'))
  for (const name of ['standardwebhooks', '@stablelib/base64', 'fast-sha256']) {
    mkdirSync(dirname(join(consumer, 'node_modules', name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(consumer, 'node_modules', name))
  }
})

function run(script: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', cwd: consumer })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout
}

const program = `
import { ApiError, assertLinked, createCauseway, verifyWebhook, type Link } from '@causeway/client'

const causeway = createCauseway({ url: 'https://connect.example.com', apiKey: 'cwk_none' })

export async function press(user: { id: string; email: string | undefined }) {
  const { url, state } = await causeway.connect.begin({
    tenantId: 'acme',
    integrationId: 'gmail',
    endUser: { id: user.id, email: user.email },
    returnUrl: 'https://app.acme.example/return',
  })
  return { url, state }
}

export async function back(query: Record<string, unknown>, state: string | undefined): Promise<string> {
  const link: Link = await causeway.connect.finish(query, state)
  return assertLinked(link).connection.functionUrl
}

export async function stuck(): Promise<string[]> {
  const ids: string[] = []
  for await (const link of causeway.links.list({ status: 'needs_attention' })) ids.push(link.cause?.whoseMove ?? link.id)
  return ids
}

export function receive(body: string, headers: Record<string, string | string[] | undefined>): string {
  const event = verifyWebhook(body, headers, 'whsec_none')
  switch (event.type) {
    case 'link.failed':
      return event.data.cause.code
    case 'end_user.erased':
      return event.data.erasureId
    case 'tenant.deleted':
      return event.data.tenantId
    default:
      return event.data.integrationId
  }
}

export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.code === 'not_found'

// @ts-expect-error: a status that does not exist
causeway.links.list({ status: 'nearly' })
// @ts-expect-error: a reason is required
void causeway.connections.disconnect('con_1', {})
`

test.each(Object.entries(compilers))('its types compile strictly with %s', { timeout: 300_000 }, (_name, compiler) => {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    // Without the types of Node: whoever has none must not need them.
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    skipDefaultLibCheck: true,
    noEmit: true,
  }
  writeFileSync(join(consumer, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(consumer, 'program.ts'), program)
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))

  expect(run(compiler, '-p', consumer)).toBe('')
})

test('it runs as it is packed, by its name', () => {
  writeFileSync(join(consumer, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(consumer, 'run.js'),
    `import { createCauseway } from '@causeway/client'
     const { connect } = createCauseway({ url: 'https://connect.example.com', apiKey: 'k' })
     console.log(typeof connect.begin)`,
  )

  expect(run(join(consumer, 'run.js'))).toBe('function\n')
})

test('what is packed is small, and nothing but the package', () => {
  const packed = spawnSync('npm', ['pack', '--dry-run', '--json'], { encoding: 'utf8', cwd: installed })
  const [{ files, size }] = JSON.parse(packed.stdout) as [{ files: Array<{ path: string }>; size: number }]

  const others = files.map(({ path }) => path).filter((path) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(path))
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
  expect(size).toBeLessThan(60_000)
})

test('it needs little, and nothing that another package of ours has in another version', () => {
  const own = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const ours = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

  expect(Object.keys(own.dependencies)).toEqual(['standardwebhooks'])
  expect(own.dependencies.standardwebhooks).toBe(ours.dependencies.standardwebhooks)
  expect(own.version).toBe(ours.version)
})
