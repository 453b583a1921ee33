import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { Trouble } from '../../domain/trouble.ts'
import type { PlatformAddress } from './platform-http.ts'

const timeout = 10_000

/** The proof that a function works: a client that nobody prepared can talk to it. */
export async function listTools(
  functionUrl: string,
  { apiKey }: PlatformAddress,
  headers: BrandedHeaders,
): Promise<{ tools: string[] }> {
  const client = new Client({ name: 'causeway', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${functionUrl}/mcp`), {
    requestInit: { headers: { [headers.authorization]: `Bearer ${apiKey.reveal()}` } },
  })
  try {
    await client.connect(transport, { timeout })
    const { tools } = await client.listTools(undefined, { timeout })
    return { tools: tools.map(({ name }) => name) }
  } catch {
    throw new Trouble('platform_unavailable', {}, 'verification')
  } finally {
    await client.close().catch(() => {})
  }
}
