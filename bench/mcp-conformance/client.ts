// The client under test: the login of onboarding and the forwarding of the platform, with a user who consents to
// everything, and fills in what servers ask. The runner passes the address of its server as the last argument.
import { Secret } from '../../src/kit/crypto/secret.ts'
import { guardedFetch } from '../../src/kit/fetch/guarded-fetch.ts'
import { widerScope } from '../../src/onboarding/domain/mcp/step-up.ts'
import { vendorMcp } from '../../src/platform/gateway/adapters/vendor-mcp/vendor-mcp.ts'
import type { AskUser, ContinuedCall } from '../../src/platform/gateway/domain/clients/inputs.ts'
import { GrantRevoked, ThirdPartyError } from '../../src/platform/gateway/domain/connection.ts'
import {
  ScopeMissing,
  VendorRefusal,
  type VendorTarget,
  type VendorTool,
} from '../../src/platform/gateway/domain/vendor/vendor-mcp.ts'
import { link, type OwnClient } from './link.ts'

const mcpUrl = process.argv.at(-1) ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Context

type Context = {
  client_id?: string
  client_secret?: string
  toolCalls?: Array<{ name: string; arguments: Record<string, unknown> }>
}

/** The runner does not announce the ports of its authorization servers. */
const allow = Array.from({ length: 65_535 }, (_, at) => [`localhost:${at + 1}`, `127.0.0.1:${at + 1}`]).flat()

const maxLinks = 3
const maxTurns = 8

const own: OwnClient | undefined =
  context.client_id === undefined
    ? undefined
    : { id: context.client_id, secret: context.client_secret ? new Secret(context.client_secret) : undefined }

const sampleValues: Record<string, unknown> = {
  string: 'text',
  number: 2,
  integer: 2,
  boolean: true,
  array: [],
  object: {},
}

const fetch = guardedFetch({ allow })
const vendors = vendorMcp({ allow, silentMs: 10_000, maxMs: 20_000 })
/** The user at the client of the platform, who accepts every form with its defaults. */
const ask: AskUser = async (params) => ({ action: 'accept', content: defaultsIn(params) })
const exchange = {
  signal: AbortSignal.timeout(25_000),
  asker: { takes: { forms: true, urls: true }, user: 'tester', ask },
}

try {
  await use(undefined, 1)
} finally {
  await vendors.close()
  await fetch.close()
}

/** Calls all tools. Links again if the server asks for more scopes or another login. */
async function use(before: string | undefined, links: number): Promise<void> {
  // The other scenarios have no login and test only the forwarding.
  const hasLogin = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('auth/')
  const linked = hasLogin ? await link(fetch, { mcpUrl, own, scope: before }) : undefined
  const asked = linked?.scope ?? ''
  try {
    await callAll(targetOf(linked?.token, links))
  } catch (error) {
    const isMendable = error instanceof ScopeMissing || error instanceof GrantRevoked
    if (!isMendable || links >= maxLinks) throw error
    const more = error instanceof ScopeMissing ? error.scope : undefined
    await use(more === undefined ? asked : (widerScope(asked, more) ?? asked), links + 1)
  }
}

async function callAll(target: VendorTarget): Promise<void> {
  const { tools } = await vendors.list(target, exchange)
  const calls = context.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsOf(tool, tools) }))
  for (const call of calls) {
    const tool = tools.find(({ name }) => name === call.name)
    if (tool) await callUntilAnswered(target, tool, call.arguments).catch(goOn)
  }
}

async function callUntilAnswered(target: VendorTarget, tool: VendorTool, args: Record<string, unknown>) {
  let continued: ContinuedCall | undefined
  for (let turn = 0; turn < maxTurns; turn++) {
    const result = await vendors.callTool(target, tool, args, { ...exchange, ...(continued && { continued }) })
    if (result.resultType !== 'input_required') return
    const { requestState, inputRequests = {} } = result as Asking
    const answers = Object.entries(inputRequests).map(async ([name, { params }]) => [name, await ask(params)])
    continued = {
      ...(requestState !== undefined && { requestState }),
      inputResponses: Object.fromEntries(await Promise.all(answers)),
    }
  }
}

type Asking = { requestState?: string; inputRequests?: Record<string, { params: Record<string, unknown> }> }

function defaultsIn({ requestedSchema }: Record<string, unknown>) {
  return sampleOf({ inputSchema: requestedSchema ?? {} })
}

/** Continues after a failing tool, like an agent. */
function goOn(error: unknown): void {
  if (!(error instanceof VendorRefusal || error instanceof ThirdPartyError)) throw error
  console.error(`a call failed: ${error.message}`)
}

/** One scenario expects the schema that the previous tool returned. */
function argumentsOf(tool: VendorTool, tools: readonly VendorTool[]): Record<string, unknown> {
  if (tool.name !== 'json_schema_echo') return sampleOf(tool)
  return { schema: tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema }
}

function targetOf(token: Secret | undefined, version: number): VendorTarget {
  return {
    url: mcpUrl,
    connection: { id: 'connection', version, name: 'tried' },
    token: async () => token ?? new Secret('of a server that asks for none'),
    secrets: new Secret([]),
  }
}

type Schema = { properties?: Record<string, { type?: string; enum?: unknown[]; default?: unknown }> }

function sampleOf({ inputSchema }: { inputSchema: object }): Record<string, unknown> {
  const { properties = {} } = inputSchema as Schema
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, enum: known, default: usual }]) => [
      name,
      usual ?? known?.[0] ?? sampleValues[type ?? 'string'] ?? 'text',
    ]),
  )
}
