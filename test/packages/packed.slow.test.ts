// Packs the packages as published, unpacks them into an empty folder and compiles with older and newer TypeScript.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { snippetsIn } from '../documentation/snippets.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { installPacked, type PackageName, type PackedPackage, packPackages, root } from './packed-packages.ts'

const compilers = {
  'TypeScript 5': join(root, 'packages/client/node_modules/typescript/bin/tsc'),
  'TypeScript 7': join(root, 'node_modules/typescript/bin/tsc'),
}

let packed: Record<PackageName, PackedPackage>
let consumer: string

beforeAll(async () => {
  packed = await packPackages()
  const needed = ['standardwebhooks', '@stablelib/base64', 'fast-sha256', 'react', '@types/react', 'csstype']
  consumer = installPacked(packed, needed)
}, 300_000)

function run(script: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', cwd: consumer })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout
}

function runModule(text: string): string {
  writeFileSync(join(consumer, 'run.js'), text)
  return run(join(consumer, 'run.js'))
}

describe.each([
  { name: 'client', packedKb: 64 },
  { name: 'connect', packedKb: 8 },
  { name: 'cli', packedKb: 30 },
] as const)('@causeway/$name', ({ name, packedKb }) => {
  test('contains only scripts, types, README and license', () => {
    const { files, manifest } = packed[name]
    const kinds = manifest.exports ? /^dist\/[\w/-]+\.(js|d\.ts)$/ : /^dist\/[\w/-]+\.js$/

    expect(files.filter((path) => !kinds.test(path))).toEqual(['LICENSE', 'README.md', 'package.json'])
    expect(manifest).toMatchObject({ license: 'MIT', type: 'module' })
    expect(readFileSync(join(consumer, 'node_modules', manifest.name, 'LICENSE'), 'utf8')).toContain('MIT License')
  })

  test('is small', () => {
    expect(packed[name].size).toBeLessThan(packedKb * 1_000)
  })

  test('has at most two dependencies, in the versions of this repository', () => {
    const { dependencies = {}, version } = packed[name].manifest
    const ours = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

    expect(Object.keys(dependencies).length).toBeLessThanOrEqual(2)
    for (const [dependency, range] of Object.entries(dependencies)) {
      expect(range).toBe(dependency.startsWith('@causeway/') ? version : ours.dependencies[dependency])
    }
    expect(version).toBe(ours.version)
  })

  test('contains every file that package.json names', () => {
    const { exports = {}, bin = {} } = packed[name].manifest
    const named = [...Object.values(exports).flatMap((entry) => Object.values(entry)), ...Object.values(bin)]

    const missing = named.filter((path) => !existsSync(join(consumer, 'node_modules/@causeway', name, path)))
    expect(named.length).toBeGreaterThan(0)
    expect(missing).toEqual([])
  })
})

test('the element is under 8 kB uncompressed', () => {
  const scripts = packed.connect.files.filter((path) => path.endsWith('.js') && !path.endsWith('/react.js'))
  const sizes = scripts.map((path) => statSync(join(consumer, 'node_modules/@causeway/connect', path)).size)

  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(8_000)
})

test('only the React entry point imports React', () => {
  expect(packed.connect.manifest).toMatchObject({
    peerDependencies: { react: '>=18' },
    peerDependenciesMeta: { react: { optional: true } },
  })
  expect(packed.connect.manifest.dependencies).toBeUndefined()
})

test('each package can be imported on a server', () => {
  const printed = runModule(`
    import { createCauseway } from '@causeway/client'
    import * as elements from '@causeway/connect'
    import * as components from '@causeway/connect/react'
    const { connect } = createCauseway({ url: 'https://connect.example.com', apiKey: 'k' })
    console.log(typeof connect.begin, Object.keys(elements).join(), Object.keys(components).join())`)

  expect(printed).toBe('function CausewayConnect,CausewayConnected CausewayConnect,CausewayConnected\n')
})

test('the packed command runs', () => {
  const { bin = {}, version } = packed.cli.manifest

  expect(run(join(consumer, 'node_modules/@causeway/cli', bin.causeway ?? ''), '--version')).toBe(`${version}\n`)
})

describe('causeway in the image', () => {
  const operators = ['keys', 'import', 'export', 'find', 'doctor', 'audit heads', 'catalogue', 'migrate']
  const settings = ['list', 'get', 'history', 'put', 'remove', 'rollback'].map((verb) => `integrations ${verb}`)
  let image: string

  /** Copies the packages as the Dockerfile does, beside an operator program that prints its arguments. */
  beforeAll(() => {
    image = temporaryFolder()
    const copied = readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(
      /^COPY --from=build \/app\/packages\/(\S+) (\S+)$/gm,
    )
    for (const [, from = '', to = ''] of copied) {
      cpSync(join(consumer, 'node_modules/@causeway', from), join(image, to), { recursive: true })
    }
    writeFile('dist/onboarding/cli.js', 'console.log("operator", process.argv.slice(2).join(" "))')
    writeFile(
      'entrypoint',
      readFileSync(join(root, 'deploy/image/entrypoint'), 'utf8').replaceAll('/app/', `${image}/`),
    )
    for (const name of ['standardwebhooks', '@stablelib/base64', 'fast-sha256']) {
      const link = join(image, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), link)
    }
  })

  function writeFile(name: string, text: string): void {
    mkdirSync(dirname(join(image, name)), { recursive: true })
    writeFileSync(join(image, name), text)
  }

  const causeway = (...words: string[]) => causewayWith({}, ...words)
  const causewayWith = (env: Record<string, string>, ...words: string[]) =>
    spawnSync('sh', [join(image, 'entrypoint'), 'causeway', ...words], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...env },
    })

  test('runs commands of tenants', () => {
    expect(causeway('--version').stdout).toBe(`${packed.cli.manifest.version}\n`)
    expect(causeway('links')).toMatchObject({ status: 1, stderr: expect.stringContaining('Not signed in') })
  })

  test('runs each operator command, and lists it in its help', () => {
    const help = causeway('help').stdout
    for (const command of [...operators, ...settings]) {
      expect(causeway(...command.split(' '), 'x y', '--test').stdout).toBe(`operator ${command} x y --test\n`)
      expect(help).toMatch(new RegExp(`where the server runs:.* ${command}[,.]`))
    }
  })

  test('verifies all audit chains if the database is at hand, and that of a tenant otherwise', () => {
    const database = { DATABASE_URL: 'postgres://localhost/causeway' }

    expect(causewayWith(database, 'audit', 'verify').stdout).toBe('operator audit verify\n')
    expect(causeway('audit', 'verify').stderr).toContain('Not signed in')
  })

  test('lists all operator commands', () => {
    const usage = readFileSync(join(root, 'src/onboarding/command-line.ts'), 'utf8')
    const commands = [...usage.matchAll(/^ {2}'(?:usage:| {6}) causeway (\w+)/gm)].map(([, name]) => name)

    expect(new Set(commands)).toEqual(new Set([...operators, ...settings].map((command) => command.split(' ')[0])))
  })
})

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
  assertLinked(link)
  return link.connection.functionUrl
}

export async function stuck(): Promise<string[]> {
  const ids: string[] = []
  for await (const link of causeway.links.list({ status: 'needs_attention' })) ids.push(link.cause?.whoseMove ?? link.id)
  return ids
}

export function receive(body: string, headers: Record<string, string | string[] | undefined>): string {
  const event = verifyWebhook(body, headers, 'whsec_none')
  switch (event.type) {
    case 'audit.recorded':
      return event.data.records.map(({ hash }) => hash).join()
    case 'end_user.erased':
      return event.data.erasureId
    case 'link.failed':
      return event.data.cause.code
    case 'tenant.deleted':
      return event.data.tenantId
    default:
      return event.data.integrationId
  }
}

export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.code === 'not_found'

// @ts-expect-error: a status that does not exist
causeway.links.list({ status: 'nearly' })
// @ts-expect-error: integrationId or integrationIds is required
void causeway.connect.begin({ tenantId: 'acme', endUser: { id: 'u' }, returnUrl: 'https://app.acme.example/return' })
// @ts-expect-error: a reason is required
void causeway.connections.disconnect('con_1', {})
`

const page = `
import { CausewayConnect as Element, type ConnectResult } from '@causeway/connect'
import { CausewayConnect, CausewayConnected } from '@causeway/connect/react'
import { createElement, createRef } from 'react'

const results: ConnectResult[] = []
const ref = createRef<Element>()

export const button = createElement(
  CausewayConnect,
  { action: '/connect', mode: 'popup', fields: { csrf: 'x' }, disabled: false, className: 'big', ref,
    onLinked: ({ status }) => results.push({ status }), onFailed: ({ causeCode }) => causeCode?.trim(), onClosed() {} },
  'Connect',
)
export const connected = createElement(CausewayConnected, { status: 'linked', causeCode: undefined })

// @ts-expect-error: an address is required
createElement(CausewayConnect, { mode: 'popup' })
// @ts-expect-error: a mode that does not exist
createElement(CausewayConnect, { action: '/connect', mode: 'tab' })
`

/** The snippets of the client's README. */
const readme = () => `
type Handler = (req: any, res: any) => unknown
declare const app: Record<'get' | 'post', (path: string, ...handlers: Handler[]) => void>
declare const express: { raw(options: object): Handler }
declare const process: { env: { CAUSEWAY_API_KEY?: string; CAUSEWAY_WEBHOOK_SECRET?: string } }
declare function askToReconnect(userId: string, advice: string): void
${snippetsIn('packages/client/README.md')
  .filter(({ language }) => language === 'js')
  .map(({ text }) => text)
  .join('\n')}`

test.each(Object.entries(compilers))('types compile strictly with %s', { timeout: 300_000 }, (_name, compiler) => {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    // Must compile without @types/node.
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    skipDefaultLibCheck: true,
    noEmit: true,
  }
  writeFileSync(join(consumer, 'program.ts'), program)
  writeFileSync(join(consumer, 'page.ts'), page)
  writeFileSync(join(consumer, 'readme.ts'), readme())
  writeFileSync(
    join(consumer, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts', 'page.ts', 'readme.ts'] }),
  )

  expect(run(compiler, '-p', consumer)).toBe('')
})
