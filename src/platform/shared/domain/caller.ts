import { Failure } from './failure.ts'

export type Role = 'admin' | 'member'

/** Who asks, once the credential has been checked. */
export type Caller = {
  /** An end user has no account here: a tenant's server vouched for them at one function. */
  kind: 'user' | 'service_account' | 'end_user'
  id: string
  /** What createdBy and updatedBy say: an email address, or the name of a service account. */
  label: string
  /** What it came with: `key:<id>`, or `token:` or `session:` and the id of its owner. Requests are counted by it, and the record names it. */
  credential: string
  /** Undefined for API keys that were not made with scopes: these carry the role of their owner instead. */
  scopes: ReadonlySet<string> | undefined
  /** The grant of a person that the credential came from, by its name: what is made with it ends with it. */
  grant?: string | undefined
  /** When an API key ends. */
  endsAt?: Date | undefined
  /** The request that it makes, for those that may change something. */
  from?: { requestId: string; address: string | undefined }
  /** Set where the credential is for the MCP server of one function alone: scopes are then those of tools. */
  onlyAt?: { resource: string; functionId: string | undefined }
  /** Set where the credential itself belongs to one workspace. */
  workspace: string | undefined
}

/** A caller in a workspace it may enter. */
export type Member = { caller: Caller; workspace: string; role: Role }

/** Scopes match whole and exactly; `admin` satisfies all. A caller without scopes has all that its role allows. */
export function requireScope({ scopes }: Caller, scope: string): void {
  if (scopes === undefined || scopes.has('admin') || scopes.has(scope)) return
  throw new Failure('scope_missing', `This needs the scope ${scope}.`)
}

/** Who is made an admin can do everything there, and stays one: for that it takes more than the scope to change people. */
export function requireMayMakeAdmins(caller: Caller): void {
  requireScope(caller, 'admin')
}

export function requireAdmin({ role }: Member): void {
  if (role !== 'admin') throw new Failure('role_missing', 'This needs the workspace admin role.')
}
