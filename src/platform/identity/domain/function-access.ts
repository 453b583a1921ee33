import type { Actor } from '../../shared/domain/audit.ts'
import { type FunctionName, mcpAddress } from '../../shared/domain/function-resource.ts'

/** Without a platform account. A later function with the same name does not inherit the user. */
export type FunctionUser = FunctionName & { id: string; functionId: string; endUserId: string; label: string }

const prefix = 'fu_'

export const functionUserId = (uuid: string): string => prefix + uuid
export const isFunctionUserId = (accountId: string): boolean => accountId.startsWith(prefix)

export const openLoginSeconds = 900

export const isLoginFor = (user: FunctionName, resource: unknown, gatewayUrl: string): boolean =>
  resource === mcpAddress(gatewayUrl, user)

export type FunctionUsers = {
  find(id: string): Promise<FunctionUser | undefined>
  /** Users created with a grant are separate and end with it. Throws if the grant was revoked. */
  addLogin(
    user: FunctionUser,
    login: { hash: Buffer; expiresAt: Date; grant: string | undefined },
    by: Actor,
  ): Promise<FunctionUser>
  findLogin(hash: Buffer): Promise<FunctionUser | undefined>
  /** Single use. Replaces the hash with `opened`. */
  openLogin(hash: Buffer, opened: Buffer): Promise<FunctionUser | undefined>
  findOpened(opened: Buffer): Promise<FunctionUser | undefined>
  removeExpired(): Promise<void>
}

export type FunctionGrant = FunctionName & {
  id: string
  functionId: string
  accountId: string
  accountLabel: string
  endUserId: string | undefined
  clientId: string
  clientName: string
  redirectTo: string
  scopes: string[]
  createdAt: Date
}

export type FunctionGrants = {
  add(grantId: string, grant: Omit<FunctionGrant, 'createdAt'>): Promise<void>
  list(of: FunctionName, endUserId: string | undefined): Promise<FunctionGrant[]>
  revoke(of: FunctionName, id: string, by: Actor): Promise<FunctionGrant | undefined>
  removeEnded(): Promise<void>
}

export type FindFunction = (workspace: string, name: string) => Promise<{ id: string; displayName: string } | undefined>
