export type Role = 'admin' | 'member'

/** Who asks, once the credential has been checked. */
export type Caller = {
  kind: 'user' | 'service_account'
  id: string
  /** What createdBy and updatedBy say: an email address, or the name of a service account. */
  label: string
  /** What it came with: `key:<id>`, or `token:` or `session:` and the id of its owner. Requests are counted by it, and the record names it. */
  credential: string
  /** Undefined for API keys: these carry the role of their owner instead. */
  scopes: ReadonlySet<string> | undefined
  /** The request that it makes, for those that may change something. */
  from?: { requestId: string; address: string | undefined }
  /** Set where the credential itself belongs to one workspace. */
  workspace: string | undefined
}

/** A caller in a workspace it may enter. */
export type Member = { caller: Caller; workspace: string; role: Role }
