// `npm run bench:gateway`: what the gateway adds to a request, against the bare upstream and a bare proxy in the same run.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { benchWorkspace } from '../platform/drives.ts'
import { type MeasuredProcess, startMeasured } from '../support/measured-process.ts'
import { percentiles } from '../support/percentiles.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Line = { what: string; measured: string; bar: string; holds: boolean }

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const prompt = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
const world = await benchWorkspace()
const upstream = await startMeasured(here('./upstream.js'), {})
const proxy = await startMeasured(here('./bare-proxy.js'), { UPSTREAM_PORT: String(upstream.port) })
const bareMcp = await startMeasured(here('./bare-mcp.js'), {})
const platform = await startMeasured(here('../../../dist/platform/main.js'), settings())

try {
  await prepare()
  const chat = '/acme/models/bench/chat/completions'
  const lines: Line[] = []
  for (const measure of [() => overhead(chat), () => throughputShare(chat), largeAnswer, toolCalls]) {
    const line = await measure()
    lines.push(line)
    show(line)
  }
  if (lines.some(({ holds }) => !holds)) process.exitCode = 1
} finally {
  await Promise.all([platform, bareMcp, proxy, upstream].map((program) => program.stop()))
  await world.stop()
}

function show({ what, measured, bar, holds }: Line): void {
  process.stdout.write(`${what.padEnd(24)} ${measured}${bar && `  ${holds ? 'holds' : 'MISSED'} (${bar})`}\n`)
}

function settings(): Record<string, string> {
  const folder = temporaryFolder()
  const url = `http://127.0.0.1:${upstream.port}`
  const file = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content))
    return join(folder, name)
  }
  const hello = {
    name: 'hello',
    description: 'Says hello.',
    inputSchema: { type: 'object' },
    request: { method: 'GET', url: `${url}/hello` },
  }
  const integration = {
    name: 'bench',
    displayName: 'Bench',
    tokenEndpoint: `${url}/token`,
    apiHosts: [new URL(url).host],
  }
  return {
    DATABASE_URL: world.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('hex')}`,
    RUNTIMES_FILE: file('runtimes.json', { runtimes: [{ image: 'bench/model', url }] }),
    INTEGRATIONS_FILE: file('integrations.json', { integrations: [{ ...integration, tools: [hello] }] }),
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
}

async function ask({ port }: MeasuredProcess, path: string, body: string, count: number, atOnce: number) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: atOnce })
  const headers = {
    'x-service-authorization': world.headers.authorization,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const times: number[] = []
  let left = count
  const one = async () => {
    while (left-- > 0) {
      const from = performance.now()
      const answer = await pool.request({ method: 'POST', path, headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
      times.push(performance.now() - from)
    }
  }
  const from = performance.now()
  await Promise.all(Array.from({ length: atOnce }, one))
  const perSecond = (count * 1000) / (performance.now() - from)
  await pool.close()
  return { ...percentiles(times), perSecond }
}

async function overhead(path: string): Promise<Line> {
  await ask(platform, path, prompt, 500, 1)
  await ask(upstream, path, prompt, 500, 1)
  const ours = await ask(platform, path, prompt, 1_000, 1)
  const bare = await ask(upstream, path, prompt, 1_000, 1)
  const added = ours.p50 - bare.p50
  const measured = `p50 ${ours.p50.toFixed(2)} ms, upstream alone ${bare.p50.toFixed(2)} ms, added ${added.toFixed(2)} ms`
  return { what: 'one request at a time', measured, bar: 'p50 added under 2 ms', holds: added < 2 }
}

async function throughputShare(path: string): Promise<Line> {
  await ask(platform, path, prompt, 2_000, 32)
  await ask(proxy, path, prompt, 2_000, 32)
  const ours = await ask(platform, path, prompt, 4_000, 32)
  const bare = await ask(proxy, path, prompt, 4_000, 32)
  const share = ours.perSecond / bare.perSecond
  const measured = `${Math.round(ours.perSecond)}/s, bare proxy ${Math.round(bare.perSecond)}/s, share ${share.toFixed(2)}`
  return { what: '32 requests at a time', measured, bar: 'at least 0.5 of a bare proxy', holds: share >= 0.5 }
}

async function largeAnswer(): Promise<Line> {
  const before = platform.memoryMb()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, platform.memoryMb())
  }, 20)
  const from = performance.now()
  const answer = await fetch(`http://127.0.0.1:${platform.port}/acme/models/bench/large?bytes=${2 ** 30}`, {
    headers: { 'x-service-authorization': world.headers.authorization },
  })
  let size = 0
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) size += chunk.length
  clearInterval(watch)
  const extra = most - before
  const measured = `${size} bytes in ${((performance.now() - from) / 1000).toFixed(1)} s, ${extra.toFixed(0)} MB of extra memory`
  return { what: '1 GB streamed', measured, bar: 'under 50 MB of extra memory', holds: size === 2 ** 30 && extra < 50 }
}

async function toolCalls(): Promise<Line> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hello', arguments: {} } })
  const path = '/acme/functions/bench/mcp'
  await ask(platform, path, body, 500, 16)
  await ask(bareMcp, path, body, 500, 16)
  const ours = await ask(platform, path, body, 2_000, 16)
  const bare = await ask(bareMcp, path, body, 2_000, 16)
  const measured = `${Math.round(ours.perSecond)}/s, a bare server of the SDK without a third party ${Math.round(bare.perSecond)}/s`
  return { what: 'MCP tools/call', measured, bar: '', holds: true }
}
