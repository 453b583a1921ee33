/** The function of a connection, by its names on the platform. */
export type FunctionPlace = { workspace: string; functionName: string }

/** What somebody allowed an MCP client of their own. */
export type FunctionGrant = {
  id: string
  /** Who allowed it, as they are called on the page. */
  account: string
  endUserId?: string | undefined
  app: { name: string; redirectsTo: string }
  scopes: string[]
  createdAt: Date
}

export type FunctionLogin = { url: string; mcpUrl: string; expiresAt: Date }

/** One use of a tool, without anything of what was said. */
export type FunctionCall = {
  at: Date
  tool: string
  succeeded: boolean
  /** What the caller is called on the platform. */
  caller: string
}

export type FunctionAccess = {
  createLogin(at: FunctionPlace, endUser: { id: string; label: string }, ttlSeconds: number): Promise<FunctionLogin>
  /** Newest first. */
  listGrants(at: FunctionPlace): Promise<FunctionGrant[]>
  /** What others than this program called in the last 30 days, newest first. */
  listCalls(at: FunctionPlace, limit: number): Promise<FunctionCall[]>
  /** Whether there was one of this id. */
  revokeGrant(at: FunctionPlace, grantId: string): Promise<boolean>
}
