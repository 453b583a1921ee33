import type { Secret } from '../../../../kit/crypto/secret.ts'

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

export class ScopeMissing extends Error {
  constructor(readonly scope: string | undefined) {
    super('insufficient scope')
  }
}
