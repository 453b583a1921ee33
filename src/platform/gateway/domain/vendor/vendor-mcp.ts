// The MCP server that a vendor runs itself, as the gateway uses it: requests go there with the linked grant.
import type { Secret } from '../../../../kit/crypto/secret.ts'

export type JsonObject = Record<string, unknown>

/** What is passed on beside tools, whose list is pinned and whose calls are judged. */
export const forwardedMethods = [
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'logging/setLevel',
] as const
export type ForwardedMethod = (typeof forwardedMethods)[number]

/** What a server can do, as far as it is passed on: no subscriptions, and nothing that asks the client. */
export const vendorCapabilities = ['tools', 'prompts', 'resources', 'completions', 'logging'] as const
export type VendorCapability = (typeof vendorCapabilities)[number]

/** One request of a client, for as long as it is under way. */
export type Exchange = {
  signal: AbortSignal
  /** The client's session; undefined in the protocol that has none. */
  session?: string | undefined
  /** What the client sent along, without what is the protocol's own. */
  meta?: JsonObject | undefined
  /** From which severity the client wants to see the server's log, where it says so with each request. */
  logLevel?: string | undefined
  onProgress?: ((progress: JsonObject) => void) | undefined
  onLog?: ((entry: JsonObject) => void) | undefined
}

/** A tool as the vendor's server describes it. All of it is shown to clients, so all of it counts as its definition. */
export type VendorTool = { name: string; inputSchema: JsonObject; annotations?: JsonObject } & JsonObject

/** All that a server tells agents about itself before they call it. */
export type VendorListing = {
  tools: VendorTool[]
  instructions: string | undefined
  capabilities: VendorCapability[]
}

export type VendorTarget = {
  url: string
  /** Another one, or other secrets, is another login there. */
  connection: { id: string; version: number; name: string }
  /** `refused` is a token that the server did not take. */
  token(refused?: Secret): Promise<Secret>
  /** What else no client may ever see. */
  secrets: Secret<string[]>
}

export type VendorMcp = {
  list(target: VendorTarget, exchange: Exchange): Promise<VendorListing>
  callTool(target: VendorTarget, tool: VendorTool, args: JsonObject, exchange: Exchange): Promise<JsonObject>
  forward(target: VendorTarget, method: ForwardedMethod, params: JsonObject, exchange: Exchange): Promise<JsonObject>
  /** The client's session is over. */
  endSession(session: string): Promise<void>
}

/** The server understood, and said no in the protocol's own words. */
export class VendorRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** The grant is alive and does not cover this (RFC 6750, section 3.1: insufficient_scope). */
export class ScopeMissing extends Error {
  constructor(readonly scope: string | undefined) {
    super('the grant does not cover this')
  }
}
