import type { Client } from '@modelcontextprotocol/client'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { ToolDescription } from '../domain/tool.ts'

const timeout = 15_000

export type Functions = ReturnType<typeof functionsOf>

export function functionsOf({ apiKey }: { apiKey: string }) {
  const talk = async <T>(functionUrl: string, say: (client: Client) => Promise<T>): Promise<T> => {
    // Loaded on first use because the module is large.
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const client = new Client({ name: 'acme', version: '1.0.0' })
    const headers = { 'X-Service-Authorization': `Bearer ${apiKey}` }
    try {
      await client.connect(
        new StreamableHTTPClientTransport(new URL(addressOf(functionUrl)), { requestInit: { headers } }),
      )
      return await say(client)
    } finally {
      await client.close().catch(ignoreError('what it was opened for is known already'))
    }
  }
  return {
    tools: (functionUrl: string): Promise<ToolDescription[]> =>
      talk(functionUrl, async (client) => (await client.listTools(undefined, { timeout })).tools),
    call: (functionUrl: string, name: string, args: Record<string, unknown>) =>
      talk(functionUrl, async (client) => {
        const { content, isError } = await client.callTool({ name, arguments: args }, { timeout })
        return { isError: isError === true, texts: textsOf(content) }
      }),
  }
}

export const addressOf = (functionUrl: string): string => `${functionUrl}/mcp`

const textsOf = (content: unknown): string[] =>
  (content as Array<{ type: string; text?: string }>).flatMap(({ type, text }) =>
    type === 'text' && text ? [text] : [],
  )
