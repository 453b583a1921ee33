// Talking to a function as any client would: one that nobody prepared.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type BrandedHeaders, bearer } from '../../../../contract/headers.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { ToolTry } from '../../../domain/health.ts'
import type { PlatformAddress } from './platform-http.ts'

const timeout = 10_000

/** The proof that a function works. */
export const listTools = (functionUrl: string, address: PlatformAddress, headers: BrandedHeaders) =>
  withClient(functionUrl, address, headers, async (client): Promise<{ tools: string[] }> => {
    const { tools } = await client.listTools(undefined, { timeout })
    return { tools: tools.map(({ name }) => name) }
  })

/** The proof that the third party still accepts the grant behind it. */
export const tryTool = (
  functionUrl: string,
  address: PlatformAddress,
  headers: BrandedHeaders,
  tool: { name: string; arguments: Readonly<Record<string, unknown>> },
) =>
  withClient(functionUrl, address, headers, async (client): Promise<ToolTry> => {
    const result = await client.callTool({ name: tool.name, arguments: { ...tool.arguments } }, undefined, { timeout })
    return result.isError ? { failed: true, text: textOf(result.content) } : { failed: false }
  })

/** Judged and forgotten: it may quote the third party, so nobody stores or shows it. */
const textOf = (content: unknown): string =>
  (Array.isArray(content) ? content : [])
    .flatMap((part: { type?: unknown; text?: unknown }) => (typeof part?.text === 'string' ? part.text : []))
    .join('\n')
    .slice(0, 4_000)

async function withClient<T>(
  functionUrl: string,
  { apiKey }: PlatformAddress,
  headers: BrandedHeaders,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'causeway', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${functionUrl}/mcp`), {
    requestInit: { headers: { [headers.authorization]: bearer(apiKey.reveal()) } },
  })
  try {
    await client.connect(transport, { timeout })
    return await use(client)
  } catch (error) {
    throw new DependencyError(isRefusal(error) ? 'function_failed' : 'platform_unavailable', {
      retry: {},
      detail: 'verification',
    })
  } finally {
    await client.close().catch(ignoreError('what it was opened for is known already'))
  }
}

/** It answers, and says no: another thing than being away or busy. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof StreamableHTTPError ? (error.code ?? 0) : 0
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}
