// MCP clients as libraries, each with the OAuth part of its own.
import * as aiSdk1 from '@ai-sdk/mcp'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import {
  auth as authOf2,
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client'
import { auth as authOf1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { MCPServerStreamableHttp } from '@openai/agents-core'
import * as aiSdk2 from 'ai-sdk-mcp-2'
import { callback, type Memory } from '../worlds/mcp-login-world.ts'
import type { RecordedWorld } from './recorded-world.ts'

export type Outcome = { tools: string[]; result: string }

/** The name of the app that uses a library. */
export const appName = 'Example app'

/** Every library takes a provider of this shape. */
function provider(memory: Memory) {
  return {
    redirectUrl: callback,
    clientMetadata: { client_name: appName, redirect_uris: [callback] },
    clientInformation: () => memory.client,
    saveClientInformation: (client: unknown) => void Object.assign(memory, { client }),
    tokens: () => memory.tokens,
    saveTokens: (tokens: unknown) => void Object.assign(memory, { tokens }),
    saveCodeVerifier: (verifier: string) => void Object.assign(memory, { verifier }),
    codeVerifier: () => memory.verifier ?? '',
    saveDiscoveryState: (discovery: unknown) => void Object.assign(memory, { discovery }),
    discoveryState: () => memory.discovery,
    redirectToAuthorization: (authorizeUrl: URL) => void Object.assign(memory, { authorizeUrl }),
    // biome-ignore lint/suspicious/noExplicitAny: each library declares its own type of the same shape
  } as any
}

/** Connects, logs in when the library asks for it, and connects again. */
async function loggedIn<T>(
  world: RecordedWorld,
  connect: (authProvider: never) => Promise<T>,
  finish: (authProvider: ReturnType<typeof provider>, answer: URLSearchParams) => Promise<unknown>,
): Promise<T> {
  const memory: Memory = {}
  const authProvider = provider(memory)
  const early = await connect(authProvider as never).catch(() => undefined)
  if (early || !memory.authorizeUrl) throw new Error('the client did not ask for a login')
  const { searchParams } = await world.allow(memory.authorizeUrl.href)
  await finish(authProvider, searchParams)
  return connect(authProvider as never)
}

const finishWith =
  // biome-ignore lint/suspicious/noExplicitAny: as above
    (auth: any, { mcpUrl }: RecordedWorld) =>
    (authProvider: unknown, answer: URLSearchParams) =>
      auth(authProvider, { serverUrl: mcpUrl, authorizationCode: answer.get('code'), iss: answer.get('iss') })

const named = (tools: ReadonlyArray<{ name: string }>) => tools.map(({ name }) => name)
const text = (result: unknown) => JSON.stringify(result)

const withAiSdk =
  ({ createMCPClient, auth }: typeof aiSdk1) =>
  async (world: RecordedWorld) => {
    const connect = (authProvider: never) =>
      createMCPClient({ transport: { type: 'http', url: world.mcpUrl, authProvider } })
    const client = await loggedIn(world, connect, finishWith(auth, world))
    const tools = await client.tools()
    const result = await tools.list_files?.execute({}, { toolCallId: 'call', messages: [] } as never)
    await client.close()
    return { tools: Object.keys(tools), result: text(result) }
  }

export const libraryClients: Record<string, (world: RecordedWorld) => Promise<Outcome>> = {
  '@modelcontextprotocol/sdk': async (world) => {
    const connect = async (authProvider: unknown) => {
      const client = new Client1({ name: appName, version: '1.0.0' })
      await client.connect(new Transport1(new URL(world.mcpUrl), { authProvider } as never) as never)
      return client
    }
    const client = await loggedIn(world, connect, finishWith(authOf1, world))
    const { tools } = await client.listTools()
    const result = await client.callTool({ name: 'list_files', arguments: {} })
    await client.close()
    return { tools: named(tools), result: text(result) }
  },

  '@modelcontextprotocol/client': async (world) => {
    const connect = async (authProvider: unknown) => {
      const client = new Client2({ name: appName, version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new Transport2(new URL(world.mcpUrl), { authProvider } as never))
      return client
    }
    const client = await loggedIn(world, connect, finishWith(authOf2, world))
    const { tools } = await client.listTools()
    const result = await client.callTool({ name: 'list_files', arguments: {} })
    await client.close()
    return { tools: named(tools), result: text(result) }
  },

  '@ai-sdk/mcp': withAiSdk(aiSdk1),
  'ai-sdk-mcp-2': withAiSdk(aiSdk2 as unknown as typeof aiSdk1),

  '@langchain/mcp-adapters': async (world) => {
    const connect = async (authProvider: never) => {
      const client = new MultiServerMCPClient({ mcpServers: { files: { url: world.mcpUrl, authProvider } } })
      return { client, tools: await client.getTools() }
    }
    const { client, tools } = await loggedIn(world, connect, finishWith(authOf1, world))
    const result = await tools.find(({ name }) => name === 'list_files')?.invoke({})
    await client.close()
    return { tools: named(tools), result: text(result) }
  },

  '@openai/agents-core': async (world) => {
    const connect = async (authProvider: unknown) => {
      const server = new MCPServerStreamableHttp({ url: world.mcpUrl, authProvider })
      await server.connect()
      return server
    }
    const server = await loggedIn(world, connect, finishWith(authOf1, world))
    const tools = await server.listTools()
    const result = await server.callTool('list_files', {})
    await server.close()
    return { tools: named(tools), result: text(result) }
  },
}
