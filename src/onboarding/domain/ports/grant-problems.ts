import type { BrokenGrantCause } from '../health/health.ts'

/** What a call of a function showed about the grant behind it, as the platform noted it. */
export type GrantProblem = {
  at: Date
  workspace: string
  connectionName: string
  cause: Extract<BrokenGrantCause, 'grant_revoked' | 'scope_insufficient'>
  /** What would have to be granted, where the third party says it. */
  scope: string | undefined
}

/** Empty for a platform that notes no such things. */
export type GrantProblems = {
  /** In all workspaces, the oldest first. */
  since(at: Date): Promise<GrantProblem[]>
  /** All that is known of the secrets that a connection has now. */
  of(connection: { workspace: string; name: string }): Promise<GrantProblem[]>
}
