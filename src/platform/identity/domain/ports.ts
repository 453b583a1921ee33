import type { Actor } from '../../shared/domain/audit.ts'
import type { Caller, Role } from '../../shared/domain/caller.ts'
import type { NewApiKey } from './api-key.ts'
import type { KeyLimits } from './delegation.ts'
import type { SigningKey } from './signing-key.ts'

export type KeyOwner = { userId: string } | { serviceAccountId: string }

export type KeyRecord = {
  id: string
  name: string
  last4: string
  scopes: string[] | null
  createdAt: Date
  expiresAt: Date | null
}

export type ApiKeys = {
  /** Throws where the grant that it would end with is gone. */
  add(key: NewApiKey & KeyLimits & { name: string }, owner: KeyOwner, by: Actor): Promise<KeyRecord>
  callerOf(hash: Buffer): Promise<Caller | undefined>
  /** Writes down that the key was seen where it does not belong. */
  noteExposure(hash: Buffer, by: Actor): Promise<void>
  list(owner: KeyOwner): Promise<KeyRecord[]>
  revoke(owner: KeyOwner, id: string, by: Actor): Promise<KeyRecord | undefined>
}

export type Account = { id: string; name: string; role: Role; createdAt: Date }

export type Accounts = {
  ofUser(userId: string): Promise<Account[]>
  ofServiceAccount(clientId: string): Promise<Account[]>
}

export type ServiceAccount = {
  clientId: string
  workspace: string
  name: string
  description: string
  role: Role
  /** Has its role in every workspace of the account that its own belongs to, also in later ones. Operators alone create such. */
  accountWide: boolean
  /** Of who made it; null is all that its role allows. */
  scopes: string[] | null
  createdAt: Date
  updatedAt: Date
  createdBy: string
  updatedBy: string
}

export type ServiceAccounts = {
  /** Returns undefined if the name is taken in its workspace. Throws where the grant that it would end with is gone. */
  add(account: ServiceAccount, secretHash: Buffer, by: Actor, grant?: string): Promise<ServiceAccount | undefined>
  list(workspace: string): Promise<ServiceAccount[]>
  find(workspace: string, clientId: string): Promise<ServiceAccount | undefined>
  update(change: ServiceAccountChange, by: Actor): Promise<ServiceAccount | undefined>
  remove(workspace: string, clientId: string, by: Actor): Promise<ServiceAccount | undefined>
  /** For operators: also one that is account-wide, which the others do not see. */
  removeAny(clientId: string, by: Actor): Promise<ServiceAccount | undefined>
}

export type ServiceAccountChange = Omit<
  ServiceAccount,
  'accountWide' | 'createdAt' | 'createdBy' | 'description' | 'role' | 'scopes'
> & {
  description?: string | undefined
  role?: Role | undefined
}

/** Accounts, users, workspaces and memberships, each created only if it is missing. */
export type Tenancy = {
  ensureAccount(id: string, name: string): Promise<string>
  ensureUser(id: string, email: string): Promise<string>
  ensureAccountAdmin(accountId: string, userId: string): Promise<void>
  ensureWorkspace(id: string, name: string, accountId: string, by: string): Promise<void>
  ensureWorkspaceAdmin(workspace: string, userId: string): Promise<void>
}

export type Membership = { workspace: string; role: Role }

/** Who may enter which workspace. */
export type Memberships = {
  ofUser(userId: string): Promise<Membership[]>
  ofServiceAccount(clientId: string): Promise<Membership[]>
  /** The same for one of them: an account can have ten thousand. */
  ofServiceAccountIn(clientId: string, workspace: string): Promise<Membership | undefined>
}

/** `roles` are for apps that people sign in to; the platform itself uses memberships. */
export type User = {
  id: string
  email: string
  roles: string[]
  passwordHash: string | undefined
  /** When the password became this one: sessions that are older have ended. */
  passwordSetAt: Date | undefined
}

export type Users = {
  find(id: string): Promise<User | undefined>
  findByEmail(email: string): Promise<User | undefined>
  setPassword(email: string, passwordHash: string): Promise<boolean>
  /** Creates what is missing; roles and password are then as given. */
  put(user: Omit<User, 'passwordHash' | 'passwordSetAt'> & { passwordHash: string }): Promise<void>
}

/** An app that people sign in to, or a service account that is its own client. */
export type OAuthClient = {
  clientId: string
  name: string
  secretHash: Buffer | undefined
  redirectUris: string[]
  serviceAccount: { workspace: string; role: Role; scopes: string[] | null; grant: string | undefined } | undefined
  /** It registered itself, and nobody has vouched for what it says. */
  selfRegistered: boolean
}

export type NewOAuthClient = Omit<OAuthClient, 'serviceAccount' | 'selfRegistered'>

export type OAuthClients = {
  find(clientId: string): Promise<OAuthClient | undefined>
  add(client: NewOAuthClient): Promise<void>
  /** The same for a client that may be there already. */
  put(client: NewOAuthClient): Promise<void>
  /** Returns false if there are too many that nobody has used. */
  register(client: Omit<NewOAuthClient, 'secretHash'>): Promise<boolean>
  /** Forgets those that registered themselves and were not used for a day, or not for long. */
  removeUnused(): Promise<void>
}

/** Newest first. */
export type SigningKeys = {
  list(): Promise<SigningKey[]>
  add(kid: string): Promise<void>
  addFirst(kid: string): Promise<void>
  remove(kids: readonly string[]): Promise<void>
}

/** What an access token says, once its signature, its times and its audience are right. */
export type Claims = {
  sub: string
  /** The platform, or the MCP server of one function. */
  aud: string
  kind: 'user' | 'service_account'
  scope: string
  grant?: string | undefined
}

/** What people allowed apps, by the name that tokens have for it. */
export type Grants = { hasGrant(name: string): Promise<boolean> }

export type AccessTokenReader = {
  /** Returns undefined if the token is not valid here, without saying why. `resource` is taken beside the platform itself. */
  claimsOf(token: string, resource: string | undefined): Promise<Claims | undefined>
}

/** Why a code that a person entered is not accepted. */
export type CodeProblem = 'unknown' | 'expired' | 'used'

/** Pages that the authorization server shows on its own, as HTML. */
export type DevicePages = {
  enterCode(form: string, problem: CodeProblem | undefined): Promise<string>
  confirmCode(form: string, code: string, app: string): Promise<string>
  deviceReady(): Promise<string>
  deviceRefused(): Promise<string>
  error(error: string, description: string): Promise<string>
}
