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

export type FunctionAccess = {
  createLogin(at: FunctionPlace, endUser: { id: string; label: string }, ttlSeconds: number): Promise<FunctionLogin>
  /** Newest first. */
  listGrants(at: FunctionPlace): Promise<FunctionGrant[]>
  /** Whether there was one of this id. */
  revokeGrant(at: FunctionPlace, grantId: string): Promise<boolean>
}
