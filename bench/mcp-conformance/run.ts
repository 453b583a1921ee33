// `npm run conformance:mcp [-- --tools FOLDER]`: the MCP inspector's command line and the public conformance runner against a function.
import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
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

/** What applies to a server of tools, by revision; docs/platform/mcp-conformance.md says why the others do not. */
const scenarios = {
  '2025-11-25': ['server-initialize', 'server-session-lifecycle', 'ping', ...tools],
  '2026-07-28': ['server-stateless', 'caching', 'http-header-validation', ...tools],
}

/** Checks of these scenarios that ask for what is not offered; the document says what. */
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

/** The runner needs a newer Node than this project does. */
const nodePackage = `node-${process.platform}-${process.arch}`
const packages = [
  '@modelcontextprotocol/inspector@2.12.0',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  `${nodePackage}@26.10.0`,
]

const { values } = parseArgs({ options: { tools: { type: 'string' } } })
const folder = values.tools ?? (await installed())
const newerNode = join(folder, 'node_modules', nodePackage, 'bin/node')
const node = existsSync(newerNode) ? newerNode : process.execPath

const runner = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const stand = await startStand()
try {
  const verdicts = [await inspector('tools/list'), await inspector('tools/call', '--tool-name', 'test_simple_text')]
  for (const [revision, names] of Object.entries(scenarios)) {
    for (const scenario of names) verdicts.push(await conformance(scenario, revision))
  }
  verdicts.push(await authorizationServer())
  for (const { what, holds, detail } of verdicts)
    process.stdout.write(`${holds ? 'holds ' : 'MISSED'} ${what}${holds ? '' : `\n${detail}`}\n`)
  if (verdicts.some(({ holds }) => !holds)) process.exitCode = 1
} finally {
  await stand.stop()
}

type Verdict = { what: string; holds: boolean; detail: string }

async function inspector(method: string, ...args: string[]): Promise<Verdict> {
  const program = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
  const header = `X-Service-Authorization: ${stand.authorization}`
  const call = ['--cli', stand.url, '--transport', 'http', '--header', header, '--method', method, ...args]
  const { ok, output } = await run([program, ...call])
  return { what: `inspector ${method}`, holds: ok && output.includes('test'), detail: output }
}

async function conformance(scenario: string, revision: string): Promise<Verdict> {
  const call = ['server', '--url', stand.openUrl, '--scenario', scenario, '--spec-version', revision]
  const { ok, output } = await run([runner, ...call])
  const failed = [...output.matchAll(/\[([\w$-]+) *\].*? FAILURE /g)].map(([, check = '']) => check)
  const isExplained = failed.length > 0 && failed.every((check) => unoffered[scenario]?.includes(check))
  const what = `conformance ${revision} ${scenario}${isExplained ? ` without ${failed.length} checks` : ''}`
  return { what, holds: ok || isExplained, detail: output }
}

async function authorizationServer(): Promise<Verdict> {
  const scenario = 'authorization-server-metadata-endpoint'
  const { ok, output } = await run([runner, 'authorization', '--url', stand.origin, '--scenario', scenario])
  return { what: `conformance ${scenario}`, holds: ok, detail: output }
}

/** Not blocking: the third party that the function acts at lives in this process. */
async function run(args: string[]): Promise<{ ok: boolean; output: string }> {
  const call = promisify(execFile)(node, args, { cwd: folder, timeout: 60_000 })
  return call.then(
    ({ stdout, stderr }) => ({ ok: true, output: stdout + stderr }),
    ({ stdout, stderr }) => ({ ok: false, output: `${stdout}${stderr}` }),
  )
}

/** Once, beside what else is not part of the repository; another set of versions is another folder. */
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
