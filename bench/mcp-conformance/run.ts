// `npm run conformance:mcp [-- --only servers|forwarded|clients] [-- --tools FOLDER]`: runs the MCP inspector and the public
// conformance runner against functions and against our clients.
import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify, stripVTControlCharacters } from 'node:util'
import { type ClientVerdict, clientScenarios } from './client-scenarios.ts'
import { startStand } from './stand.ts'

const tools = [
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'json-schema-2020-12',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
]

/** Scenarios that apply to a server with tools, by revision. docs/platform/mcp-conformance.md explains the others. */
const scenarios = {
  '2025-11-25': ['server-initialize', 'server-session-lifecycle', 'ping', ...tools],
  '2026-07-28': ['server-stateless', 'caching', 'http-header-validation', ...tools],
}

/** Further features of a function that forwards requests to a vendor's server. */
const passedOn = [
  'tools-call-mixed-content',
  'tools-call-with-progress',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'completion-complete',
]

/** The server asks the user, and its question is passed on. */
const asking = {
  '2025-11-25': ['tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
  '2026-07-28': [
    'basic-elicitation',
    'request-state',
    'multi-round',
    'missing-input-response',
    'result-type',
    'unsupported-methods',
    'tampered-state',
    'ignore-extra-params',
    'validate-input',
  ].map((name) => `input-required-result-${name}`),
}

const forwardedScenarios = {
  '2025-11-25': [
    'server-initialize',
    ...tools,
    ...passedOn,
    'logging-set-level',
    'tools-call-with-logging',
    ...asking['2025-11-25'],
  ],
  '2026-07-28': [
    'server-stateless',
    'caching',
    ...tools,
    ...passedOn,
    'sep-2164-resource-not-found',
    ...asking['2026-07-28'],
  ],
}

/** Checks for features that are not offered, explained in the same document. */
const unoffered: Record<string, string[]> = {
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
  caching: [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
}

/** The runner needs a newer Node than this project. */
const nodePackage = `node-${process.platform}-${process.arch}`
const packages = [
  '@modelcontextprotocol/inspector@2.12.0',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  `${nodePackage}@26.10.0`,
]

const { values } = parseArgs({ options: { tools: { type: 'string' }, only: { type: 'string', default: 'all' } } })
const folder = values.tools ?? (await installed())
const newerNode = join(folder, 'node_modules', nodePackage, 'bin/node')
const node = existsSync(newerNode) ? newerNode : process.execPath

const runner = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const stand = await startStand()
try {
  if (['all', 'servers'].includes(values.only)) await servers()
  if (['all', 'forwarded'].includes(values.only)) await forwarded()
  if (['all', 'clients'].includes(values.only)) for await (const verdict of clientScenarios(runner, run)) show(verdict)
} finally {
  await stand.stop()
}

type Verdict = ClientVerdict

async function servers(): Promise<void> {
  show(await inspector('tools/list'))
  show(await inspector('tools/call', '--tool-name', 'test_simple_text'))
  for (const [revision, names] of Object.entries(scenarios)) {
    for (const scenario of names) show(await conformance(scenario, revision))
  }
  show(await authorizationServer())
}

async function forwarded(): Promise<void> {
  for (const [revision, names] of Object.entries(forwardedScenarios)) {
    for (const scenario of names) show(await conformance(scenario, revision, stand.forwardedUrl, 'forwarded '))
  }
}

function show({ what, holds, detail }: Verdict): void {
  process.stdout.write(`${holds ? 'holds ' : 'MISSED'} ${what}${holds ? '' : `\n${detail}`}\n`)
  if (!holds) process.exitCode = 1
}

async function inspector(method: string, ...args: string[]): Promise<Verdict> {
  const program = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
  const header = `X-Service-Authorization: ${stand.authorization}`
  const call = ['--cli', stand.url, '--transport', 'http', '--header', header, '--method', method, ...args]
  const { ok, output } = await run([program, ...call])
  return { what: `inspector ${method}`, holds: ok && output.includes('test'), detail: output }
}

async function conformance(scenario: string, revision: string, url = stand.openUrl, which = ''): Promise<Verdict> {
  const call = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision]
  const { ok, output } = await run([runner, ...call])
  const failed = [...output.matchAll(/\[([\w$-]+) *\].*? FAILURE /g)].map(([, check = '']) => check)
  const isExplained = failed.length > 0 && failed.every((check) => unoffered[scenario]?.includes(check))
  const what = `conformance ${which}${revision} ${scenario}${isExplained ? ` without ${failed.length} checks` : ''}`
  return { what, holds: ok || isExplained, detail: output }
}

async function authorizationServer(): Promise<Verdict> {
  const scenario = 'authorization-server-metadata-endpoint'
  const { ok, output } = await run([runner, 'authorization', '--url', stand.origin, '--scenario', scenario])
  return { what: `conformance ${scenario}`, holds: ok, detail: output }
}

/** Asynchronous, because the function's third party runs in this process. */
async function run(args: string[]): Promise<{ ok: boolean; output: string }> {
  const call = promisify(execFile)(node, args, { cwd: folder, timeout: 60_000 })
  return call.then(
    ({ stdout, stderr }) => ({ ok: true, output: stripVTControlCharacters(stdout + stderr) }),
    ({ stdout, stderr }) => ({ ok: false, output: stripVTControlCharacters(`${stdout}${stderr}`) }),
  )
}

/** Installed once per set of versions, outside of the repository's dependencies. */
async function installed(): Promise<string> {
  const versions = packages.map((each) => each.split('@').at(-1)).join('-')
  const into = fileURLToPath(new URL(`../../../node_modules/.cache/mcp-tools-${versions}`, import.meta.url))
  if (existsSync(join(into, 'complete'))) return into
  process.stdout.write(`installing ${packages.join(', ')} …\n`)
  const quiet = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--prefer-offline']
  await promisify(execFile)('npm', ['install', '--prefix', into, ...quiet, ...packages])
  writeFileSync(join(into, 'complete'), '')
  return into
}
