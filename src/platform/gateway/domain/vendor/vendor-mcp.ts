import type { Secret } from '../../../../kit/crypto/secret.ts'
import type { UseReceipt } from '../approvals/approval.ts'
import type { Client } from '../clients/declared.ts'
import type { ContinuedCall, InputAsker, InputRequest } from '../clients/inputs.ts'

export type JsonObject = Record<string, unknown>

/** Tools are not listed here: their list is pinned and their calls are checked. */
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

/** Subscriptions and requests to the client are not forwarded. */
export const vendorCapabilities = ['tools', 'prompts', 'resources', 'completions', 'logging'] as const
export type VendorCapability = (typeof vendorCapabilities)[number]

export type Exchange = {
  signal: AbortSignal
  session?: string | undefined
  meta?: JsonObject | undefined
  logLevel?: string | undefined
  onProgress?: ((progress: JsonObject) => void) | undefined
  onLog?: ((entry: JsonObject) => void) | undefined
  /** Undefined for requests of our own. */
  client?: Client | undefined
  /** The client repeats a call with the state that it was given, and with the user's answers. */
  repeated?: { state: string; responses: JsonObject } | undefined
  /** Sends a request to the client on the stream of its call. For clients with a session. */
  send?: ((id: string, request: InputRequest) => Promise<void>) | undefined
  /** Undefined if the client cannot ask its user. */
  asker?: InputAsker | undefined
  continued?: ContinuedCall | undefined
  /** Without it, calls that need an approval are refused. */
  useReceipt?: UseReceipt | undefined
  /** Tools that were listed before suffice if the server does not list them now. */
  acceptsKnownTools?: boolean | undefined
}

/** All members are shown to clients and belong to the definition. */
export type VendorTool = { name: string; inputSchema: JsonObject; annotations?: JsonObject } & JsonObject

export type VendorListing = {
  tools: VendorTool[]
  instructions: string | undefined
  capabilities: VendorCapability[]
}

export type VendorTarget = {
  url: string
  /** Another ID or version needs another login. */
  connection: { id: string; version: number; name: string }
  /** `refused` is a token that the server rejected. */
  token(refused?: Secret): Promise<Secret>
  secrets: Secret<string[]>
}

export type VendorMcp = {
  list(target: VendorTarget, exchange: Exchange): Promise<VendorListing>
  callTool(target: VendorTarget, tool: VendorTool, args: JsonObject, exchange: Exchange): Promise<JsonObject>
  forward(target: VendorTarget, method: ForwardedMethod, params: JsonObject, exchange: Exchange): Promise<JsonObject>
  endSession(session: string): Promise<void>
}

export class VendorRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** The user has to open pages first; nothing was done. `elicitations` are as the server sent them. */
export class UrlsRequired extends Error {
  constructor(readonly elicitations: unknown) {
    super('urls required')
  }
}

export class ScopeMissing extends Error {
  constructor(readonly scope: string | undefined) {
    super('insufficient scope')
  }
}
