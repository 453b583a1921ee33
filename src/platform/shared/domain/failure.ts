export type FailureCode =
  | 'input_invalid'
  | 'cursor_invalid'
  | 'version_unknown'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'workspace_ambiguous'
  | 'workspace_unnamed'
  | 'credential_missing'
  | 'credential_invalid'
  | 'scope_missing'
  | 'role_missing'
  | 'approval_required'
  | 'workspace_closed'
  | 'route_unknown'
  | 'resource_unknown'
  | 'method_not_allowed'
  | 'workload_unavailable'
  | 'connection_unusable'
  | 'third_party_unavailable'
  | 'name_taken'
  | 'resource_in_use'
  | 'change_outdated'
  | 'key_reused'
  | 'key_in_progress'
  | 'key_outcome_unknown'
  | 'too_many_requests'
  | 'sealed_unreadable'
  | 'store_unavailable'
  | 'unexpected'

/** `detail` is for the caller, `cause` for the log. */
export class Failure extends Error {
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: FailureCode,
    readonly detail: string,
    options?: ErrorOptions & { retryAfterSeconds?: number },
  ) {
    super(`${code}: ${detail}`, options)
    this.retryAfterSeconds = options?.retryAfterSeconds ?? (code === 'store_unavailable' ? 2 : undefined)
  }
}

/** A stored secret does not decrypt. If its key is not loaded here, another process may have it, so a retry can help. */
export class SealedUnreadable extends Failure {
  constructor(
    readonly keyMayCome: boolean,
    options?: ErrorOptions,
  ) {
    super(
      'sealed_unreadable',
      "A stored secret can't be decrypted. Ask the platform's operator to restore the encryption key, or set the secret again.",
      options,
    )
  }
}

export function readableOrLost<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof SealedUnreadable && !error.keyMayCome) return undefined
    throw error
  }
}

/** The same error for closed, missing and invalid workspaces. */
export const workspaceClosed = (): Failure => new Failure('workspace_closed', 'You have no access to this workspace.')
