// `npm run bench:gateway`: measures what the gateway adds to a request, compared with the bare upstream and a bare proxy.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchWorkspace } from '../platform/drives.ts'
import { startLoad } from '../support/load-process.ts'
import { type MeasuredProcess, startMeasured } from '../support/measured-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Line = { what: string; measured: string; bar: string; holds: boolean }

/** `-- --only forwarded`, `--only models` or `--only relay` runs one part. */
const { values: options } = parseArgs({ options: { only: { type: 'string', default: 'all' } } })

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const prompt = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
const callOf = (name: string, id: number) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: {} },
})
const toolCall = JSON.stringify(callOf('hello', 1))
const called = '/acme/functions/bench/mcp'
const forwarded = '/acme/functions/forwarded/mcp'
const world = await benchWorkspace()
const upstream = await startMeasured(here('./upstream.js'), {})
const proxy = await startMeasured(here('./bare-proxy.js'), { UPSTREAM_PORT: String(upstream.port) })
const undiciProxy = await startMeasured(here('./bare-undici-proxy.js'), { UPSTREAM_PORT: String(upstream.port) })
const bareMcp = await startMeasured(here('./bare-mcp.js'), {})
const mcpProxy = await startMeasured(here('./bare-mcp-proxy.js'), { UPSTREAM_PORT: String(bareMcp.port) })
const platform = await startMeasured(here('../../../dist/platform/main.js'), settings(), profiling())
const load = startLoad()

try {
  await prepare()
  const chat = '/acme/models/bench/chat/completions'
  const lines: Line[] = []
  // The large response comes first, before other requests have grown the process. Single requests come last, when both
  // programs are warm.
  const forwarding = [forwardingShare, forwardingOverhead]
  const large = [() => largeAnswer(chat), largeBatch]
  const models = [() => overhead(chat), () => throughputShare(chat)]
  const relay = [
    () => relayedLarge('down'),
    () => relayedLarge('up'),
    () => relayShare(0, 0.4),
    () => relayShare(65_536, 0.8),
    () => relayShare(1_048_576, 0.8, 500),
    relayOverhead,
  ]
  const parts: Record<string, (() => Promise<Line>)[]> = { forwarded: forwarding, models, relay }
  for (const measure of parts[options.only] ?? [...large, ...models, toolCalls, ...forwarding, ...relay]) {
    const line = await measure()
    lines.push(line)
    show(line)
  }
  if (lines.some(({ holds }) => !holds)) process.exitCode = 1
} finally {
  await Promise.all([load, platform, mcpProxy, bareMcp, undiciProxy, proxy, upstream].map((program) => program.stop()))
  await world.stop()
}

function show({ what, measured, bar, holds }: Line): void {
  process.stdout.write(`${what.padEnd(29)} ${measured}${bar && `  ${holds ? 'holds' : 'MISSED'} (${bar})`}\n`)
}

/** `PROFILE=<folder>` writes a CPU profile of the platform there. */
function profiling(): string[] {
  const folder = process.env.PROFILE
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []
}

function settings(): Record<string, string> {
  const folder = temporaryFolder()
  const url = `http://127.0.0.1:${upstream.port}`
  const file = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content))
    return join(folder, name)
  }
  const toolNamed = (name: string) => ({
    name,
    description: `Asks for ${name}.`,
    inputSchema: { type: 'object' },
    request: { method: 'GET', url: `${url}/${name}` },
  })
  const integration = {
    id: 'bench',
    displayName: 'Bench',
    endpoints: { authorization: `${url}/authorize`, token: `${url}/token` },
    account: { from: 'none' },
    scopes: [{ name: 'files' }],
    apiHosts: [new URL(url).host],
  }
  return {
    DATABASE_URL: world.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('hex')}`,
    RUNTIMES_FILE: file('runtimes.json', { runtimes: [{ image: 'bench/model', url }] }),
    INTEGRATIONS_FILE: file('integrations.json', {
      integrations: [
        { ...integration, tools: ['hello', 'quotes'].map(toolNamed) },
        { id: 'forwarded', displayName: 'Forwarded', mcpUrl: `http://127.0.0.1:${bareMcp.port}/mcp` },
      ],
    }),
    MCP_EGRESS_ALLOW: `127.0.0.1:${bareMcp.port},${new URL(url).host}`,
    DATA_FOLDER: folder,
    LOG_LEVEL: 'error',
    RATE_KEY_PER_MINUTE: '100000000',
    HOST: '127.0.0.1',
    PORT: '0',
  }
}

async function prepare(): Promise<void> {
  const create = async (path: string, name: string, spec: object) => {
    const answer = await fetch(`http://127.0.0.1:${platform.port}/v0${path}`, {
      method: 'POST',
      headers: { ...world.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name }, spec }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const secret = { CLIENT_ID: 'client', CLIENT_SECRET: 'secret', REFRESH_TOKEN: 'refresh' }
  await create('/models', 'bench', { runtime: { image: 'bench/model' } })
  await create('/integrations/connections', 'bench', { integration: 'bench', secret })
  await create('/functions', 'bench', { type: 'mcp', integrationConnections: ['bench'] })
  await create('/integrations/connections', 'forwarded', { integration: 'forwarded', secret, config: discovered() })
  await create('/functions', 'forwarded', { type: 'mcp', integrationConnections: ['forwarded'] })
}

/** The data that a link would discover about the server. */
function discovered(): Record<string, string> {
  const url = `http://127.0.0.1:${upstream.port}`
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    token_endpoint_auth_method: 'client_secret_post',
    resource: `http://127.0.0.1:${bareMcp.port}/mcp`,
    scope: 'tools',
  }
}

type Rate = { p50: number; perSecond: number; cpuMs: number }

/** Alternates, so that other load on the machine affects all equally. The first turn warms up, and the best one counts. */
async function compare(
  programs: readonly MeasuredProcess[],
  path: string,
  body: string,
  count: number,
  atOnce: number,
) {
  const best: Rate[] = programs.map(() => ({ p50: Number.POSITIVE_INFINITY, perSecond: 0, cpuMs: 0 }))
  for (let turn = 0; turn <= 3; turn++) {
    for (const [at, program] of programs.entries()) {
      const rate = await measure(program, path, body, count, atOnce)
      if (turn > 0 && rate.perSecond > (best[at]?.perSecond ?? 0)) best[at] = rate
    }
  }
  return best as [Rate, Rate, Rate]
}

async function measure(program: MeasuredProcess, path: string, body: string, count: number, atOnce: number) {
  const headers = {
    'x-service-authorization': world.headers.authorization,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const before = program.cpuSeconds()
  const rate = await load.run({ origin: `http://127.0.0.1:${program.port}`, path, headers, body, count, atOnce })
  return { ...rate, cpuMs: ((program.cpuSeconds() - before) * 1000) / count }
}

async function overhead(path: string): Promise<Line> {
  const [ours, bare] = await compare([platform, upstream], path, prompt, 1_000, 1)
  const added = ours.p50 - bare.p50
  const measured = `p50 ${ours.p50.toFixed(2)} ms, upstream alone ${bare.p50.toFixed(2)} ms, added ${added.toFixed(2)} ms`
  return { what: 'one request at a time', measured, bar: 'p50 added under 2 ms', holds: added < 2 }
}

async function throughputShare(path: string): Promise<Line> {
  const [ours, bare] = await compare([platform, proxy], path, prompt, 5_000, 32)
  const share = ours.perSecond / bare.perSecond
  const measured = `${rates(ours)}, bare proxy ${rates(bare)}, share ${share.toFixed(2)}`
  return { what: '32 requests at a time', measured, bar: 'at least 0.5 of a bare proxy', holds: share >= 0.5 }
}

function rates({ perSecond, cpuMs }: Rate): string {
  return `${Math.round(perSecond)}/s (${cpuMs.toFixed(2)} ms CPU each)`
}

/** Both programs have served some small requests first, so that loading and compiling modules is not counted. */
async function largeAnswer(path: string): Promise<Line> {
  for (const program of [platform, proxy]) await measure(program, path, prompt, 500, 4)
  const ours = await streamLarge(platform)
  const bare = await streamLarge(proxy)
  const measured = `${ours.seconds.toFixed(1)} s and ${ours.extraMb.toFixed(0)} MB of extra memory, bare proxy ${bare.seconds.toFixed(1)} s and ${bare.extraMb.toFixed(0)} MB`
  const holds = ours.size === 2 ** 30 && ours.extraMb < 50
  return { what: '1 GB streamed', measured, bar: 'whole, with under 50 MB of extra memory', holds }
}

async function streamLarge(program: MeasuredProcess): Promise<{ size: number; seconds: number; extraMb: number }> {
  const watched = watchMemory(program)
  const from = performance.now()
  const answer = await fetch(`http://127.0.0.1:${program.port}/acme/models/bench/large?bytes=${2 ** 30}`, {
    headers: { 'x-service-authorization': world.headers.authorization },
  })
  let size = 0
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) size += chunk.length
  return { size, seconds: (performance.now() - from) / 1000, extraMb: watched.end() }
}

function watchMemory(program: MeasuredProcess) {
  const before = program.memoryMb()
  let max = before
  const watch = setInterval(() => {
    max = Math.max(max, program.memoryMb())
  }, 20)
  return {
    /** Returns the maximum growth in megabytes. */
    end(): number {
      clearInterval(watch)
      return Math.max(max, program.memoryMb()) - before
    },
  }
}

/** A hundred calls in one request, each with a response of 1 MB that is 2 MB as JSON. */
async function largeBatch(): Promise<Line> {
  await measure(platform, called, toolCall, 500, 4)
  const watched = watchMemory(platform)
  const batch = Array.from({ length: 100 }, (_, id) => callOf('quotes', id))
  const answer = await fetch(`http://127.0.0.1:${platform.port}${called}`, {
    method: 'POST',
    headers: {
      'x-service-authorization': world.headers.authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(batch),
  })
  const answers = (await answer.json()) as { result: { isError?: boolean } }[]
  const extraMb = watched.end()
  const whole = answers.filter(({ result }) => !result.isError).length
  const measured = `${whole} answered whole, the others refused, with ${extraMb.toFixed(0)} MB of extra memory`
  const holds = answers.length === 100 && whole > 0 && extraMb < 64
  return { what: 'batch of 100 large answers', measured, bar: 'under 64 MB of extra memory', holds }
}

async function forwardingOverhead(): Promise<Line> {
  const [ours, bare, relayed] = await compare([platform, bareMcp, mcpProxy], forwarded, toolCall, 500, 1)
  const added = ours.p50 - bare.p50
  const alone = `server alone ${bare.p50.toFixed(2)} ms, behind a bare proxy of the SDK ${relayed.p50.toFixed(2)} ms`
  const measured = `p50 ${ours.p50.toFixed(2)} ms, ${alone}, added ${added.toFixed(2)} ms (${ours.cpuMs.toFixed(2)} ms CPU each, the bare proxy ${relayed.cpuMs.toFixed(2)} ms)`
  return { what: 'MCP forwarded, one at a time', measured, bar: 'p50 added under 5 ms', holds: added < 5 }
}

async function forwardingShare(): Promise<Line> {
  const [ours, bare] = await compare([platform, mcpProxy], forwarded, toolCall, 1_000, 16)
  const share = ours.perSecond / bare.perSecond
  const measured = `${rates(ours)}, a bare proxy of the SDK ${rates(bare)}, share ${share.toFixed(2)}`
  return { what: 'MCP forwarded, 16 at a time', measured, bar: 'at least 0.7 of a bare proxy', holds: share >= 0.7 }
}

function relayed(bytes: number): string {
  return `/acme/functions/bench/relay/-/large${bytes > 0 ? `?bytes=${bytes}` : ''}`
}

async function relayOverhead(): Promise<Line> {
  const [ours, bare] = await compare([platform, upstream], relayed(0), prompt, 1_000, 1)
  const added = ours.p50 - bare.p50
  const measured = `p50 ${ours.p50.toFixed(2)} ms, API alone ${bare.p50.toFixed(2)} ms, added ${added.toFixed(2)} ms`
  return { what: 'relay, one at a time', measured, bar: 'p50 added under 1.5 ms', holds: added < 1.5 }
}

async function relayShare(bytes: number, bar: number, count = 3_000): Promise<Line> {
  const [ours, bare] = await compare([platform, undiciProxy], relayed(bytes), prompt, count, 32)
  const share = ours.perSecond / bare.perSecond
  const measured = `${rates(ours)}, bare undici proxy ${rates(bare)}, share ${share.toFixed(2)}`
  const what = `relay, ${bytes > 0 ? `${bytes / 1024} kB` : 'small'}, 32 at a time`
  return { what, measured, bar: `at least ${bar} of a bare undici proxy`, holds: share >= bar }
}

/** Both programs have served some small requests first, so that loading and compiling modules is not counted. */
async function relayedLarge(way: 'up' | 'down'): Promise<Line> {
  for (const program of [platform, undiciProxy]) await measure(program, relayed(0), prompt, 500, 4)
  const ours = await relayLarge(platform, way)
  const again = await relayLarge(platform, way)
  const bare = await relayLarge(undiciProxy, way)
  const measured = `${ours.extraMb.toFixed(0)} MB of extra memory, ${again.extraMb.toFixed(0)} MB the second time, bare undici proxy ${bare.extraMb.toFixed(0)} MB`
  const holds = ours.isWhole && ours.extraMb < 64
  return { what: `relay, 1 GB ${way}`, measured, bar: 'whole, with under 64 MB', holds }
}

async function relayLarge(program: MeasuredProcess, way: 'up' | 'down') {
  const watched = watchMemory(program)
  const size = 2 ** 30
  const chunk = new Uint8Array(256 * 1024)
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(chunk)
      sent += chunk.length
      if (sent >= size) controller.close()
    },
  })
  const upload = { method: 'PUT', body, duplex: 'half' } as const
  const answer = await fetch(`http://127.0.0.1:${program.port}${relayed(way === 'down' ? size : 0)}`, {
    headers: { 'x-service-authorization': world.headers.authorization },
    ...(way === 'up' && upload),
  })
  let received = 0
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) received += piece.length
  const extraMb = watched.end()
  return { isWhole: way === 'down' ? received === size : answer.status === 200 && sent === size, extraMb }
}

async function toolCalls(): Promise<Line> {
  const [ours, bare] = await compare([platform, bareMcp], called, toolCall, 1_000, 16)
  const measured = `${rates(ours)}, a bare server of the SDK without a third party ${rates(bare)}`
  return { what: 'MCP tools/call', measured, bar: '', holds: true }
}
