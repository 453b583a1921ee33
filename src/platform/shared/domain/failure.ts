/**
 * Everything that may go wrong as expected, by family: the caller's input, the caller's rights,
 * the state of the world, a server we depend on, our own bug. Each surface renders it in its own words.
 */
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
  | 'workspace_closed'
  | 'route_unknown'
  | 'resource_unknown'
  | 'method_not_allowed'
  | 'workload_unavailable'
  | 'connection_unusable'
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

/**
 * A stored secret does not decrypt. Where its key is not loaded, another process has a newer list of keys and waiting
 * helps; otherwise nothing does by itself.
 */
export class SealedUnreadable extends Failure {
  constructor(
    readonly keyMayCome: boolean,
    options?: ErrorOptions,
  ) {
    super(
      'sealed_unreadable',
      'A stored secret of this cannot be decrypted. Ask the operator of the platform to restore its encryption key, or set the secret again.',
      options,
    )
  }
}

/** Returns undefined where trying again cannot help. */
export function readableOrLost<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof SealedUnreadable && !error.keyMayCome) return undefined
    throw error
  }
}

/** One answer for a workspace that is closed, that does not exist, and that cannot exist. */
export const workspaceClosed = (): Failure => new Failure('workspace_closed', 'You may not enter this workspace.')
