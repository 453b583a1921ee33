import { Failure } from './failure.ts'

export type Role = 'admin' | 'member'

export type Caller = {
  /** An end user has no account: a tenant vouched for them at one function. */
  kind: 'user' | 'service_account' | 'end_user'
  id: string
  /** Shown as createdBy and updatedBy: an email address or the name of a service account. */
  label: string
  /** `key:<id>`, or `token:`, `session:`, `login:` or `browser:` with the owner's ID. For rate limits and the audit. */
  credential: string
  /** Undefined for unscoped API keys, which have the role of their owner. */
  scopes: ReadonlySet<string> | undefined
  /** Name of the grant behind the credential. Keys and accounts created with it end with the grant. */
  grant?: string | undefined
  endsAt?: Date | undefined
  from?: { requestId: string; address: string | undefined }
  /** The credential is only for the MCP server of this function, by a login of the client. Its scopes are tool scopes. */
  onlyAt?: { functionId: string; clientId?: string | undefined }
  workspace: string | undefined
}

/** A key does not tell who uses it. */
export const isPerson = ({ kind, credential }: Caller): boolean =>
  kind !== 'service_account' && !credential.startsWith('key:')

/** The person in a browser, compared with a caller. `isRemembered`: without a login of the last 15 minutes. */
export type Recognized = { is: 'caller'; isRemembered: boolean } | { is: 'other'; label: string } | { is: 'nobody' }

/** Who uses a browser: a member by their session, and end users by a function login or because they are remembered. */
export type BrowserPeople = {
  member: { id: string; label: string; workspaces: readonly string[] } | undefined
  endUsers: ReadonlyArray<EndUserInBrowser>
}

type EndUserInBrowser = {
  id: string
  workspace: string
  functionId: string
  endUserId: string
  label: string
  isRemembered: boolean
}

export type Member = { caller: Caller; workspace: string; role: Role }

/** `admin` includes all scopes. An unscoped caller has everything its role allows. */
export function requireScope({ scopes }: Caller, scope: string): void {
  if (scopes === undefined || scopes.has('admin') || scopes.has(scope)) return
  throw new Failure('scope_missing', `This needs the scope ${scope}.`)
}

/** An admin can do everything and stays one, so a scope for member changes is not enough. */
export function requireMayMakeAdmins(caller: Caller): void {
  requireScope(caller, 'admin')
}

export function requireAdmin({ role }: Member): void {
  if (role !== 'admin') throw new Failure('role_missing', 'This needs the workspace admin role.')
}
