// The platform in its own process with its own stores, its clients and its attackers.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRedis } from '../../src/kit/embedded/redis.ts'
import { benchWorkspace } from '../platform/drives.ts'
import { startMeasured } from '../support/measured-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export type Stand = Awaited<ReturnType<typeof openStand>>

/** `images` maps image names of jobs to commands, which see `seen`. */
export async function openStand(folder: string, images: Record<string, string[]>, seen: string) {
  const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
  const world = await benchWorkspace()
  const redis = await startRedis({ folder: join(temporaryFolder(), 'redis') })
  const upstream = await startMeasured(here('../gateway/upstream.js'), {})
  const platform = await startMeasured(here('../../../dist/platform/main.js'), {
    ...files(folder, `http://127.0.0.1:${upstream.port}`, images, seen),
    DATABASE_URL: world.url,
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('hex')}`,
    DATA_FOLDER: join(folder, 'data'),
    LOG_LEVEL: 'error',
    RATE_KEY_PER_MINUTE: '100000000',
    HOST: '127.0.0.1',
    PORT: '0',
  })
  const send = (method: string, path: string, body?: object) =>
    answerOf(`http://127.0.0.1:${platform.port}${path}`, {
      method,
      headers: {
        ...(path.startsWith('/v0/') ? world.headers : { 'x-service-authorization': world.headers.authorization }),
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  return {
    platform,
    get: (path: string) => send('GET', path),
    post: (path: string, body: object) => send('POST', path, body),
    create: (kind: string, name: string, spec: object) => send('POST', `/v0/${kind}`, { metadata: { name }, spec }),
    callTool: (workload: string, name: string, args: object) =>
      send('POST', `/acme/${workload}/mcp`, {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name, arguments: args },
      }),
    async stop() {
      await Promise.all([platform.stop(), upstream.stop()])
      await redis.stop()
      await world.stop()
    },
  }
}

function files(folder: string, url: string, images: Record<string, string[]>, seen: string) {
  const file = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content))
    return join(folder, name)
  }
  const commands = Object.entries(images).map(([image, command]) => ({ image, command, folders: [{ path: seen }] }))
  const hello = {
    ...{ name: 'hello', description: 'Says hello.', inputSchema: { type: 'object' } },
    request: { method: 'GET', url: `${url}/hello` },
  }
  const integration = {
    ...{ id: 'bench', displayName: 'Bench', account: { from: 'none' }, scopes: [{ name: 'files' }], tools: [hello] },
    endpoints: { authorization: `${url}/authorize`, token: `${url}/token` },
    apiHosts: [new URL(url).host],
  }
  return {
    RUNTIMES_FILE: file('runtimes.json', { runtimes: [{ image: 'bench/model', url }, ...commands] }),
    INTEGRATIONS_FILE: file('integrations.json', { integrations: [integration] }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what is read of an answer is what this measurement asked for.
async function answerOf(url: string, request: RequestInit): Promise<any> {
  const answer = await fetch(url, request)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${request.method} ${url}: ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
