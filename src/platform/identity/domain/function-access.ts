import type { Actor } from '../../shared/domain/audit.ts'
import { type FunctionName, mcpAddress, personAddress } from '../../shared/domain/function-resource.ts'

/** Without a platform account. A later function with the same name does not inherit the user. */
export type FunctionUser = FunctionName & {
  id: string
  functionId: string
  endUserId: string
  label: string
  signedOutAt?: Date | undefined
}

const prefix = 'fu_'

export const functionUserId = (uuid: string): string => prefix + uuid
export const isFunctionUserId = (accountId: string): boolean => accountId.startsWith(prefix)

export const openLoginSeconds = 900

export const rememberedSeconds = 30 * 86_400

export const isLoginFor = (user: FunctionName, resource: unknown, gatewayUrl: string): boolean =>
  resource === mcpAddress(gatewayUrl, user) || resource === personAddress(gatewayUrl, user.workspace)

export type FunctionUsers = {
  find(id: string): Promise<FunctionUser | undefined>
  /** The logins of a person, one per function, by the name of the function. */
  ofEndUser(workspace: string, endUserId: string): Promise<FunctionUser[]>
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
  /** The opened login of one browser. */
  endOpened(opened: Buffer): Promise<void>
  /** Ends all logins and remembered browsers of a person. Returns how many browsers were remembered. */
  signOut(workspace: string, endUserId: string, by: Actor): Promise<number>
  removeExpired(): Promise<void>
}

/** Browsers that tell who the person is, without signing them in. Each ends with the function of the person's login. */
export type RememberedBrowsers = {
  /** `opened`: the login that was opened in the browser. */
  add(hash: Buffer, opened: Buffer, by: Actor): Promise<void>
  find(hash: Buffer): Promise<FunctionUser | undefined>
  remove(hash: Buffer, by: Actor): Promise<void>
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
  /** `by`: set if the grant was given without a consent page, and audited. */
  add(grantId: string, grant: Omit<FunctionGrant, 'createdAt'>, by?: Actor): Promise<void>
  list(of: FunctionName, endUserId: string | undefined): Promise<FunctionGrant[]>
  revoke(of: FunctionName, id: string, by: Actor): Promise<FunctionGrant | undefined>
  removeEnded(): Promise<void>
}

type FoundFunction = { id: string; displayName: string; toolPrefix?: string | undefined }

export type FindFunction = (workspace: string, name: string) => Promise<FoundFunction | undefined>
