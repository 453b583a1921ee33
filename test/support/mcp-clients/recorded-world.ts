// A function behind a proxy that records what MCP clients declare, and the person who allows them.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpBrowser } from '../http/http-browser.ts'
import { mcpLoginWorld } from '../worlds/mcp-login-world.ts'

type Json = Record<string, unknown>

/** As a row of docs/mcp-clients.md. */
type Declared = {
  name: string
  registeredName: string
  authMethod: string | undefined
  grantTypes: string[]
  revision: string
  elicitation: string[]
}

export type RecordedWorld = Awaited<ReturnType<typeof recordedWorld>>

export async function recordedWorld() {
  let sent: Array<{ path: string; body: Json; proof: string }> = []
  let target = ''
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray())
    sent.push({ path: req.url ?? '', body: parsed(req, body), proof: proofIn(req, body.toString()) })
    const { method, headers } = req
    const onward = request(target + req.url, { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(res)
    })
    onward.on('error', () => res.destroy())
    res.on('close', () => onward.destroy())
    onward.end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const world = await mcpLoginWorld({ PUBLIC_URL: origin })
  target = world.origin
  return {
    origin,
    mcpUrl: `${origin}/acme/functions/files/mcp`,
    forget: () => {
      sent = []
    },
    declared: () => declaredIn(sent),
    clientProofs: () => [...new Set(sent.filter(({ path }) => path === '/oauth/token').map(({ proof }) => proof))],
    calls: () => world.filebox.state.apiRequests.length,

    /** Signs in, allows the client, and returns where the browser goes then. */
    async allow(authorizeUrl: string): Promise<URL> {
      const browser = new HttpBrowser()
      const { url } = await world.login()
      await browser.get(url)
      await browser.post(url)
      const callback = new URL(authorizeUrl).searchParams.get('redirect_uri') ?? ''
      const page = await browser.follow(await browser.get(authorizeUrl), callback)
      const pressed = await browser.post(`${page.url.split('?')[0]}/consent`)
      return new URL((await browser.follow(pressed, callback)).url)
    },

    async close() {
      server.close()
      server.closeAllConnections()
      await world.close()
    },
  }
}

function parsed({ headers }: IncomingMessage, body: Buffer): Json {
  if (!headers['content-type']?.startsWith('application/json')) return {}
  const value: unknown = JSON.parse(body.toString() || '{}')
  return value as Json
}

/** How the client authenticates at the token endpoint. */
function proofIn({ headers }: IncomingMessage, body: string): string {
  const form = new URLSearchParams(body)
  if (headers.authorization) return 'client_secret_basic'
  if (form.has('client_assertion')) return 'private_key_jwt'
  return form.has('client_secret') ? 'client_secret_post' : 'none'
}

const meta = 'io.modelcontextprotocol/'

function declaredIn(sent: ReadonlyArray<{ path: string; body: Json }>): Declared {
  const registration = sent.find(({ path }) => path === '/oauth/register')?.body ?? {}
  const messages = sent.filter(({ path }) => path.endsWith('/mcp')).map(({ body }) => (body.params ?? {}) as Json)
  // Until 2025-11-25 in the first message of a session, later in each message.
  const spoken = messages.findLast((params) => params.clientInfo ?? (params._meta as Json)?.[`${meta}clientInfo`]) ?? {}
  const own = (spoken.clientInfo ? spoken : fromMeta(spoken._meta as Json)) as {
    clientInfo?: Json
    protocolVersion?: string
    capabilities?: { elicitation?: Json }
  }
  const { elicitation } = own.capabilities ?? {}
  return {
    name: String(own.clientInfo?.name),
    registeredName: String(registration.client_name),
    authMethod: registration.token_endpoint_auth_method as string | undefined,
    grantTypes: (registration.grant_types ?? []) as string[],
    revision: String(own.protocolVersion),
    // Without a mode it means forms (2025-11-25, client/elicitation).
    elicitation: elicitation ? (Object.keys(elicitation).length ? Object.keys(elicitation).sort() : ['form']) : [],
  }
}

const fromMeta = (given: Json = {}) => ({
  clientInfo: given[`${meta}clientInfo`],
  protocolVersion: given[`${meta}protocolVersion`],
  capabilities: given[`${meta}clientCapabilities`],
})
