export type FunctionPlace = { workspace: string; functionName: string }

export type FunctionGrant = {
  id: string
  account: string
  endUserId?: string | undefined
  app: { clientId: string; name: string; redirectsTo: string }
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

/**
 * A person's call that the grant does not cover. `endUserId`: the person, if they have a function login. `page` verifies
 * the person again. `isRemembered`: the person had no login lately, and was known by a remembered browser.
 */
export type Repair = { id: string; page: string; endUserId: string | undefined; isRemembered: boolean }

export type FunctionAccess = {
  /** Single use. Undefined if the ticket is not valid for this connection. */
  redeemRepair(at: { workspace: string; connectionName: string }, ticket: string): Promise<Repair | undefined>
  createLogin(at: FunctionPlace, endUser: { id: string; label: string }, ttlSeconds: number): Promise<FunctionLogin>
  /** All logins of the person in the workspace, and remembered browsers. */
  endLogins(at: FunctionPlace, endUserId: string): Promise<void>
  listGrants(at: FunctionPlace): Promise<FunctionGrant[]>
  /** Calls by others in the last 30 days, newest first. */
  listCalls(at: FunctionPlace, limit: number): Promise<FunctionCall[]>
  revokeGrant(at: FunctionPlace, grantId: string): Promise<boolean>
}
