import { type TtlCache, ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { Connection, Workloads } from '../domain/connection.ts'
import type { Integration } from '../domain/integration.ts'
import { McpFailure, type OfferedTool } from '../domain/mcp.ts'
import { toolFailure } from '../domain/tool-failure.ts'
import { listedTools, type ToolList, type ToolListKey, type ToolLists } from '../domain/vendor/tool-list.ts'
import {
  type Exchange,
  type ForwardedMethod,
  type JsonObject,
  type VendorCapability,
  type VendorListing,
  type VendorMcp,
  VendorRefusal,
  type VendorTarget,
} from '../domain/vendor/vendor-mcp.ts'
import type { GetAccessToken } from './access-token.ts'
import { type CallForwardedTool, forwardedTools } from './forwarded-tools.ts'
import { type GrantNotes, withGrantNotes } from './grant-notes.ts'
import { connectTool } from './servers/connect-tool.ts'

export type VendorServer = {
  capabilities: VendorCapability[]
  instructions: string | undefined
  tools(): OfferedTool[]
  refresh(exchange: Pick<Exchange, 'acceptsKnownTools'>): Promise<void>
  ask(method: ForwardedMethod, params: JsonObject, exchange: Exchange): Promise<JsonObject>
}

type Of = {
  functionId: string
  functionName: string
  integration: Integration
  connection: Connection
  position: number
}

/** Returns undefined for an integration whose tools are in its profile. */
export type OpenVendorServer = (of: Of) => Promise<VendorServer | undefined>

type Needs = {
  vendorMcp: Pick<VendorMcp, 'list' | 'forward'>
  toolLists: Pick<ToolLists, 'find' | 'see' | 'doubt'>
  accessToken: GetAccessToken
  grantNotes: GrantNotes
  callForwarded: CallForwardedTool
  workloads: Pick<Workloads, 'noteToolChange'>
  now: () => Date
  pause(ms: number): Promise<void>
}

const freshForMs = 5_000
/** How long known tools wait for newer ones. */
const lookMs = 3_000
/** How long the first caller waits for tools that are not known yet. Without `acceptsKnownTools`, listing waits longer. */
const firstLookMs = 10_000
const remembered = 10_000

export const openVendorServer = (needs: Needs): OpenVendorServer => {
  const known = ttlCache((key) => needs.toolLists.find(JSON.parse(key)), { ttlMs: 1_000, capacity: remembered })
  const looks = new Map<string, Promise<ToolList>>()
  const servers = new WeakMap<Of, ReturnType<typeof serverOf>>()
  return async (of) => {
    const soon = (looking: Promise<ToolList>, ms: number) =>
      Promise.race([looking.catch(ignoreVendor(of)), needs.pause(ms).then(() => undefined)])
    const { mcpUrl } = of.integration
    if (mcpUrl === undefined) return undefined
    const server = servers.get(of) ?? serverOf({ needs, known, looks }, of, mcpUrl)
    servers.set(of, server)
    let list = (await server.listKnown()) ?? (await server.firstLook((looking) => soon(looking, firstLookMs)))
    return {
      capabilities: list?.capabilities ?? [],
      instructions: list?.approved.instructions,
      tools: () => (list ? server.toolsIn(list) : server.toolsOfNone),
      async refresh({ acceptsKnownTools }) {
        // Opening has just asked a server whose tools are unknown.
        if (list ? isFresh(list, of, needs.now()) : acceptsKnownTools) return
        const looking = server.look()
        list = acceptsKnownTools ? ((await soon(looking, lookMs)) ?? list) : await looking.catch(throwFailure(of))
      },
      ask: server.ask,
    }
  }
}

type Means = { needs: Needs; known: TtlCache<ToolList | undefined>; looks: Map<string, Promise<ToolList>> }

function serverOf({ needs, known, looks }: Means, of: Of, url: string) {
  const key = { functionId: of.functionId, integration: of.integration.id, position: of.position }
  const keyText = JSON.stringify(key)
  const target = targetOf(needs, of, url)
  const lookNow = async (): Promise<ToolList> => {
    const listing = await withGrantNotes(needs.grantNotes, of, needs.vendorMcp.list(target, nobodyLeaves()))
    known.forget(keyText)
    return pin(needs, of, key, listing)
  }
  // Invalidates the list: a recent one would suggest that the grant works.
  const call: CallForwardedTool = async (...called) => {
    const result = await needs.callForwarded(...called)
    if (result.code === 'grant_revoked') {
      await needs.toolLists.doubt(key).catch(ignoreError('the caller gets the result'))
      known.forget(keyText)
    }
    return result
  }
  const tools = new WeakMap<ToolList, OfferedTool[]>()
  let slow: Promise<ToolList> | undefined
  const look = () => sharedLook(looks, JSON.stringify([key, secretsOf(of.connection)]), lookNow)
  return {
    listKnown: () => known.get(keyText),
    look,
    toolsOfNone: [connectTool(of, look)],
    /** Waits for a server once, if it takes longer than `wait`. */
    async firstLook(wait: (looking: Promise<ToolList>) => Promise<ToolList | undefined>) {
      const looking = look()
      if (looking === slow) return undefined
      const list = await wait(looking)
      if (!list) slow = looking
      return list
    },
    toolsIn(list: ToolList): OfferedTool[] {
      const offered = tools.get(list) ?? forwardedTools({ of, target, list, call })
      tools.set(list, offered)
      return offered
    },
    ask: (method: ForwardedMethod, params: JsonObject, exchange: Exchange): Promise<JsonObject> =>
      withGrantNotes(needs.grantNotes, of, needs.vendorMcp.forward(target, method, params, exchange)).catch(
        throwFailure(of),
      ),
  }
}

/** A listing is shared, so it continues when a caller leaves. */
const nobodyLeaves = (): Exchange => ({ signal: new AbortController().signal })

function sharedLook(looks: Map<string, Promise<ToolList>>, key: string, look: () => Promise<ToolList>) {
  const running = looks.get(key)
  if (running !== undefined) return running
  const looking = look().finally(() => looks.delete(key))
  looks.set(key, looking)
  return looking
}

const isFresh = ({ seenAt, seenWith }: ToolList, { connection }: Of, now: Date): boolean =>
  seenWith === secretsOf(connection) && now.getTime() - seenAt.getTime() < freshForMs

const secretsOf = ({ id, version }: Connection): string => `${id}:${version}`

function targetOf({ accessToken }: Needs, { integration, connection }: Of, url: string): VendorTarget {
  const { CLIENT_SECRET = '', REFRESH_TOKEN = '' } = connection.secrets.reveal()
  return {
    url,
    connection,
    token: (refused) => accessToken(integration, connection, refused),
    secrets: new Secret([CLIENT_SECRET, REFRESH_TOKEN]),
  }
}

async function pin(needs: Needs, of: Of, key: ToolListKey, listing: VendorListing): Promise<ToolList> {
  const { connection, integration, functionName } = of
  const listed = listedTools(listing)
  const { list, outcome } = await needs.toolLists.see(key, {
    connection: connection.name,
    seenWith: secretsOf(connection),
    listed,
    capabilities: listing.capabilities,
    policy: integration.toolChanges,
  })
  const change = { connection: connection.name, hash: listed.hash }
  if (outcome === 'held' || outcome === 'allowed')
    await needs.workloads.noteToolChange(connection.workspace, functionName, { ...change, outcome })
  return list
}

const throwFailure =
  (of: Of) =>
  (error: unknown): never => {
    const failure = toolFailure(error, of)
    if (!failure) throw error
    const { message, ...reason } = failure
    throw new McpFailure(message, reason, error instanceof VendorRefusal ? error.code : undefined)
  }

const ignoreVendor = (of: Of) => (error: unknown) => {
  if (!toolFailure(error, of)) throw error
  return undefined
}
