// Who may use one function with an MCP client of their own, and what they allowed it.
import type { Actor } from '../../shared/domain/audit.ts'
import { type FunctionName, mcpAddress } from '../../shared/domain/function-resource.ts'

/**
 * Somebody who may use one function and has no account on the platform: a tenant's server vouched for them.
 * `functionId` is the function itself: a later one of the same name is not theirs.
 */
export type FunctionUser = FunctionName & { id: string; functionId: string; endUserId: string; label: string }

const prefix = 'fu_'

export const functionUserId = (uuid: string): string => prefix + uuid
export const isFunctionUserId = (accountId: string): boolean => accountId.startsWith(prefix)

/** A login that was opened is good for so long, for one function, in one browser. */
export const openLoginSeconds = 900

export const isLoginFor = (user: FunctionName, resource: unknown, gatewayUrl: string): boolean =>
  resource === mcpAddress(gatewayUrl, user)

export type NewLogin = { hash: Buffer; expiresAt: Date; grant: string | undefined }

export type FunctionUsers = {
  find(id: string): Promise<FunctionUser | undefined>
  /**
   * Returns who it is for: the same person at the same function is one user. Whom a credential of a grant vouches for is
   * a user of their own, who ends with the grant; throws where it is gone.
   */
  addLogin(user: FunctionUser, login: NewLogin, by: Actor): Promise<FunctionUser>
  /** Whose login it is, if it was not opened yet. */
  findLogin(hash: Buffer): Promise<FunctionUser | undefined>
  /** Opens it once: from now on only the new hash is known, for a while. */
  openLogin(hash: Buffer, opened: Buffer): Promise<FunctionUser | undefined>
  /** Whose login was opened by this. */
  findOpened(opened: Buffer): Promise<FunctionUser | undefined>
  removeExpired(): Promise<void>
}

/** What somebody allowed an app at a function. */
export type FunctionGrant = FunctionName & {
  id: string
  accountId: string
  accountLabel: string
  /** As the tenant calls them, if a tenant vouched for them. */
  endUserId: string | undefined
  clientId: string
  clientName: string
  /** Where the app takes its codes. */
  redirectTo: string
  scopes: string[]
  createdAt: Date
}

export type FunctionGrants = {
  add(grantId: string, grant: Omit<FunctionGrant, 'createdAt'>): Promise<void>
  /** Newest first. */
  list(of: FunctionName, endUserId: string | undefined): Promise<FunctionGrant[]>
  /** Ends the grant with all its tokens. Returns undefined if there is none of this id. */
  revoke(of: FunctionName, id: string, by: Actor): Promise<FunctionGrant | undefined>
  removeEnded(): Promise<void>
}

/** What the control plane knows of a function. */
export type FindFunction = (workspace: string, name: string) => Promise<{ id: string; displayName: string } | undefined>
