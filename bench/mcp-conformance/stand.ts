// A function for the public MCP tools, with the tools that they expect and a third party on loopback.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchWorkspace } from '../platform/drives.ts'
import { startMeasured } from '../support/measured-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { dialectSchema } from './dialect-schema.ts'
import { startVendor } from './vendor.ts'

const main = fileURLToPath(new URL('../../../dist/platform/main.js', import.meta.url))

export async function startStand() {
  const folder = temporaryFolder()
  const world = await benchWorkspace()
  const thirdParty = await startThirdParty()
  const vendor = await startVendor()
  const integrations = join(folder, 'integrations.json')
  const forwarded = { id: 'forwarded', displayName: 'Forwarded', mcpUrl: vendor.url }
  writeFileSync(integrations, JSON.stringify({ integrations: [integrationAt(thirdParty.url), forwarded] }))
  const port = await freePort()
  const program = await startMeasured(main, {
    DATABASE_URL: world.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('hex')}`,
    INTEGRATIONS_FILE: integrations,
    MCP_EGRESS_ALLOW: `${new URL(vendor.url).host},${new URL(thirdParty.url).host}`,
    DATA_FOLDER: join(folder, 'data'),
    LOG_LEVEL: 'error',
    RATE_KEY_PER_MINUTE: '100000000',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  })
  const origin = `http://127.0.0.1:${program.port}`
  const create = async (path: string, body: object) => {
    const answer = await fetch(`${origin}/v0${path}`, {
      method: 'POST',
      headers: { ...world.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const secret = { CLIENT_ID: 'client', CLIENT_SECRET: 'secret', REFRESH_TOKEN: 'refresh' }
  const serve = async (name: string, config: object) => {
    await create('/integrations/connections', { metadata: { name }, spec: { integration: name, secret, config } })
    await create('/functions', { metadata: { name }, spec: { type: 'mcp', integrationConnections: [name] } })
  }
  await serve('tried', {})
  await serve('forwarded', discovered(vendor.url, thirdParty.url))
  const { authorization } = world.headers
  const door = await startDoor(program.port, authorization)
  return {
    folder,
    origin,
    url: `${origin}/acme/functions/tried/mcp`,
    authorization,
    /** The same function without a credential, because the conformance runner cannot send one. */
    openUrl: `${door.url}/acme/functions/tried/mcp`,
    /** The function that forwards requests to a vendor's server. */
    forwardedUrl: `${door.url}/acme/functions/forwarded/mcp`,
    program,
    thirdParty,
    async stop() {
      await door.close()
      await program.stop()
      await thirdParty.close()
      await vendor.close()
      await world.stop()
    },
  }
}

/** The data that a link would discover about the vendor's server. */
const discovered = (mcpUrl: string, issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  token_endpoint_auth_method: 'client_secret_post',
  resource: mcpUrl,
  scope: 'tools',
})

/** The metadata of the authorization server contains the program's address. */
async function freePort(): Promise<number> {
  const probe = await listening(createServer())
  await probe.close()
  return Number(new URL(probe.url).port)
}

/** Adds the credential and changes nothing else. */
function startDoor(port: number, authorization: string) {
  const server = createServer((req, res) => {
    const headers = { ...req.headers, 'x-service-authorization': authorization }
    const onward = request({ port, host: '127.0.0.1', path: req.url, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    onward.on('error', () => res.destroy())
    res.on('close', () => onward.destroy())
    req.pipe(onward)
  })
  return listening(server)
}

function startThirdParty() {
  const server = createServer((req, res) => {
    if (req.url === '/token') return res.end(JSON.stringify({ access_token: 'access-token', expires_in: 3_600 }))
    const content = contents[req.url ?? '']
    if (content) return res.writeHead(200, { 'content-type': content.type }).end(content.bytes)
    if (req.url === '/api/error') return res.writeHead(500).end('This tool intentionally returns an error for testing')
    res.end('This is a simple text response for testing.')
  })
  return listening(server)
}

const contents: Record<string, { type: string; bytes: Buffer }> = {
  '/api/image': { type: 'image/png', bytes: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') },
  '/api/audio': { type: 'audio/wav', bytes: Buffer.from('52494646240000005741564566', 'hex') },
  '/api/resource': { type: 'application/zip', bytes: Buffer.from('504b0304ff00', 'hex') },
}

async function listening(server: ReturnType<typeof createServer>) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, close }
}

const integrationAt = (url: string) => ({
  id: 'tried',
  displayName: 'Tried',
  endpoints: { authorization: `${url}/authorize`, token: `${url}/token` },
  account: { from: 'none' },
  scopes: [{ name: 'files' }],
  apiHosts: [new URL(url).host],
  tools: [
    tool('test_simple_text', 'Answers a text.', { type: 'object', properties: {} }, `${url}/api/text`),
    tool('test_error_handling', 'Fails.', { type: 'object', properties: {} }, `${url}/api/error`),
    tool('test_image_content', 'Answers an image.', { type: 'object', properties: {} }, `${url}/api/image`),
    tool('test_audio_content', 'Answers sound.', { type: 'object', properties: {} }, `${url}/api/audio`),
    tool('test_embedded_resource', 'Answers a file.', { type: 'object', properties: {} }, `${url}/api/resource`),
    tool('json_schema_2020_12_tool', 'Has a schema with every mark of its dialect.', dialectSchema, `${url}/api/text`),
  ],
})

const tool = (name: string, description: string, inputSchema: object, url: string) => ({
  name,
  description,
  inputSchema,
  request: { method: 'GET', url },
})
