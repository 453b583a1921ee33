// The official client with a person in a browser, who allows it at the function.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { waitFor } from '../support/oracles/wait-for.ts'
import { freshClient, type Memory } from '../support/worlds/mcp-login-world.ts'
import { button } from './filebox-visit.ts'
import type { WatchedPage } from './watched-browser.ts'

/** The client's redirect URI on the person's machine (RFC 8252, section 7.3). */
export async function startListener() {
  const received: URLSearchParams[] = []
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://127.0.0.1')
    if (pathname === '/callback') received.push(searchParams)
    res.end('You can close this page.')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/callback`, received, close }
}

export type Listener = Awaited<ReturnType<typeof startListener>>

/** The person is signed in at the function in this browser. */
export async function accessToken(mcpUrl: string, page: WatchedPage, listener: Listener): Promise<string> {
  const memory: Memory = {}
  const { client, transport } = freshClient(mcpUrl, memory, 'auto', listener.url)
  await client.connect(transport).catch(() => undefined)
  const address = new URL(memory.authorizeUrl as URL)
  address.searchParams.set('scope', 'tools:read tools:write')
  await page.goto(address.href)
  await button(page, 'Allow').click()
  await transport.finishAuth(await waitFor('the code has come', () => listener.received.pop()))
  await client.close()
  return memory.tokens?.access_token ?? ''
}

type Options = { mode: 'auto' | 'legacy' } & Pick<ClientOptions, 'capabilities'>

export async function connectedClient(mcpUrl: string, token: string, { mode, ...options }: Options): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit }))
  return client
}
