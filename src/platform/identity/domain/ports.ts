import type { Actor, AuditTrail } from '../../shared/domain/audit.ts'
import type { Caller, Member, Role } from '../../shared/domain/caller.ts'
import type { SharedPorts } from '../../shared/domain/ports.ts'
import type { NewApiKey } from './api-key.ts'
import type { KeyLimits } from './delegation.ts'
import type { FindFunction, FunctionGrants, FunctionUsers, RememberedBrowsers } from './function-access.ts'
import type { AssertionClaims, TrustedIssuer } from './identity-assertion.ts'
import type { AccountMembers, Members } from './member.ts'
import type { SigningKey } from './signing-key.ts'

export type KeyOwner = { userId: string } | { serviceAccountId: string }

export type KeyRecord = {
  id: string
  name: string
  last4: string
  scopes: string[] | null
  createdAt: Date
  createdBy: string
  /** Up to a minute behind. Null: never used. */
  lastUsedAt: Date | null
  expiresAt: Date | null
}

export type ApiKeys = {
  add(key: NewApiKey & KeyLimits & { name: string }, owner: KeyOwner, by: Actor): Promise<KeyRecord>
  callerOf(hash: Buffer): Promise<Caller | undefined>
  noteUse(hash: Buffer): Promise<void>
  noteExposure(hash: Buffer, by: Actor): Promise<void>
  list(owner: KeyOwner): Promise<KeyRecord[]>
  ofServiceAccounts(workspace: string): Promise<Array<KeyRecord & { serviceAccountId: string }>>
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
  /** Has its role in all current and future workspaces of the account. Only operators create these. */
  accountWide: boolean
  /** Scopes of the creator. Null means all that the role allows. */
  scopes: string[] | null
  createdAt: Date
  updatedAt: Date
  createdBy: string
  updatedBy: string
}

export type ServiceAccounts = {
  /** Returns undefined if the name is taken. Throws if the grant was revoked. */
  add(account: ServiceAccount, secretHash: Buffer, by: Actor, grant?: string): Promise<ServiceAccount | undefined>
  list(workspace: string): Promise<ServiceAccount[]>
  find(workspace: string, clientId: string): Promise<ServiceAccount | undefined>
  update(
    change: Pick<ServiceAccount, 'clientId' | 'workspace' | 'name' | 'updatedAt' | 'updatedBy'> & {
      description?: string | undefined
      role?: Role | undefined
    },
    by: Actor,
  ): Promise<ServiceAccount | undefined>
  remove(workspace: string, clientId: string, by: Actor): Promise<ServiceAccount | undefined>
  removeAny(clientId: string, by: Actor): Promise<ServiceAccount | undefined>
}

/** Each method is idempotent. */
export type Tenancy = {
  ensureAccount(id: string, name: string): Promise<string>
  ensureUser(id: string, email: string): Promise<string>
  ensureAccountAdmin(accountId: string, userId: string): Promise<void>
  ensureWorkspace(id: string, name: string, accountId: string, by: string): Promise<void>
  ensureWorkspaceAdmin(workspace: string, userId: string): Promise<void>
}

export type Membership = { workspace: string; role: Role }

export type Memberships = {
  ofUser(userId: string): Promise<Membership[]>
  ofServiceAccount(clientId: string): Promise<Membership[]>
  ofServiceAccountIn(clientId: string, workspace: string): Promise<Membership | undefined>
}

/** `roles` are for apps. The platform itself uses memberships. */
type User = {
  id: string
  email: string
  roles: string[]
  passwordHash: string | undefined
  passwordSetAt: Date | undefined
}

export type Users = {
  find(id: string): Promise<User | undefined>
  findByEmail(email: string): Promise<User | undefined>
  setPassword(email: string, passwordHash: string): Promise<boolean>
  put(user: Omit<User, 'passwordHash' | 'passwordSetAt'> & { passwordHash: string }): Promise<void>
}

export type OAuthClient = {
  clientId: string
  name: string
  secretHash: Buffer | undefined
  redirectUris: string[]
  serviceAccount: { workspace: string; role: Role; scopes: string[] | null; grant: string | undefined } | undefined
  selfRegistered: boolean
}

export type NewOAuthClient = Omit<OAuthClient, 'serviceAccount' | 'selfRegistered'>

export type OAuthClients = {
  find(clientId: string): Promise<OAuthClient | undefined>
  add(client: NewOAuthClient): Promise<void>
  put(client: NewOAuthClient): Promise<void>
  /** Deletes the oldest unused self-registered apps above the limit. */
  register(client: Omit<NewOAuthClient, 'secretHash'>): Promise<void>
  /** Deletes self-registered apps that were not used for an hour after registration, or for 400 days. */
  removeUnused(): Promise<void>
}

export type SigningKeys = {
  list(): Promise<SigningKey[]>
  add(kid: string): Promise<void>
  addFirst(kid: string): Promise<void>
  remove(kids: readonly string[]): Promise<void>
}

export type Claims = {
  sub: string
  aud: string
  kind: 'user' | 'service_account'
  scope: string
  grant?: string | undefined
}

type Grants = {
  /** `functionId`: the function whose tools were granted. */
  findGrant(name: string): Promise<{ functionId: string | undefined; clientId: string | undefined } | undefined>
}

/** Methods throw AssertionRefused. */
export type IdentityAssertions = {
  /** Not verified. */
  issuerOf(assertion: string): Promise<string | undefined>
  verify(assertion: string, issuer: TrustedIssuer): Promise<AssertionClaims>
  /** Throws if it was used before, at any process. */
  use(claims: AssertionClaims): Promise<void>
}

export type AcceptedAssertion = { accountId: string; resource: string; scopes: string[]; grantId: string }

export type AssertionRequest = {
  assertion: string
  client: { id: string; name: string; isConfidential: boolean }
  resource: string | undefined
  scope: string | undefined
  createGrant(of: Omit<AcceptedAssertion, 'grantId'>): Promise<string>
}

export type AcceptAssertion = (request: AssertionRequest) => Promise<AcceptedAssertion>

export type AccessTokenReader = {
  /** Returns undefined for an invalid token. Accepts tokens for the platform and for `resource`. */
  claimsOf(token: string, resource: string | undefined): Promise<Claims | undefined>
}

export type CodeProblem = 'unknown' | 'expired' | 'used'

export type DevicePages = {
  enterCode(form: string, problem: CodeProblem | undefined): Promise<string>
  confirmCode(form: string, code: string, app: string): Promise<string>
  deviceReady(): Promise<string>
  deviceRefused(): Promise<string>
  error(error: string, description: string): Promise<string>
}

export type EnterWorkspace = (caller: Caller, workspace: string | undefined) => Promise<Member>

export type IdentityPorts = SharedPorts & {
  apiKeys: ApiKeys
  users: Users
  clients: OAuthClients
  records: Grants
  memberships: Memberships
  members: Members
  accounts: Accounts
  accountMembers: AccountMembers
  serviceAccounts: ServiceAccounts
  functionUsers: FunctionUsers
  functionGrants: FunctionGrants
  rememberedBrowsers: RememberedBrowsers
  assertions: IdentityAssertions
  auditTrail: AuditTrail
  enter: EnterWorkspace
  findFunction: FindFunction
}
