export type FunctionPlace = { workspace: string; functionName: string }

export type FunctionGrant = {
  id: string
  account: string
  endUserId?: string | undefined
  app: { name: string; redirectsTo: string }
  scopes: string[]
  createdAt: Date
}

export type FunctionLogin = { url: string; mcpUrl: string; expiresAt: Date }

export type FunctionCall = {
  at: Date
  tool: string
  succeeded: boolean
  caller: string
}

export type FunctionAccess = {
  createLogin(at: FunctionPlace, endUser: { id: string; label: string }, ttlSeconds: number): Promise<FunctionLogin>
  listGrants(at: FunctionPlace): Promise<FunctionGrant[]>
  /** Calls by others in the last 30 days, newest first. */
  listCalls(at: FunctionPlace, limit: number): Promise<FunctionCall[]>
  revokeGrant(at: FunctionPlace, grantId: string): Promise<boolean>
}
