export const linkStatuses = [
  'pending',
  'linked',
  'cancelled',
  'denied',
  'abandoned',
  'failed',
  'needs_attention',
] as const
export type LinkStatus = (typeof linkStatuses)[number]

type StateEntry = {
  status: LinkStatus
  stepsDone: number
  label: string
  /** A worker continues from here, without the user. */
  isProvisioning?: true
  isConsented?: true
  /** The grant of a first link waits for the platform. Must match the predicate of index `links_backlog`. */
  isBacklog?: true
  /** Why a link moves, by kind of link: with a first consent, a re-link, or an import. */
  moves: Record<string, { first?: string; relink?: string; import?: string }>
}

const resumed = 'resumed'
const stopped = 'worker_crashed, sealed_unreadable'
const recovered = 'a failover lost its end, and the platform has its connection'
const revokedLater = 'the provider has not revoked the grant yet'

export const linkStateTable = {
  authorizing: {
    status: 'pending',
    stepsDone: 0,
    label: 'Waiting for consent at the app',
    moves: {
      authorizing: { first: 'another browser, or a second attempt' },
      code_waiting: { first: 'callback, with a completion challenge' },
      exchanging: { first: 'callback, without one; or a failover lost that the code was sent' },
      cancelled: { first: 'user_cancelled' },
      denied: { first: 'consent_denied' },
      abandoned: { first: 'session_expired, callback_missing' },
      failed: {
        first:
          'consent_failed, client_rejected, request_rejected, redirect_uri_rejected, app_unverified, app_suspended, admin_approval_needed, callback_rejected, integration_removed',
      },
    },
  },
  code_waiting: {
    status: 'pending',
    stepsDone: 1,
    label: 'Waiting for the tenant',
    isConsented: true,
    moves: {
      exchanging: { first: 'the tenant completes; or a failover lost that the code was sent' },
      abandoned: { first: 'completion_missing' },
      failed: { first: 'completion_refused' },
    },
  },
  exchanging: {
    status: 'pending',
    stepsDone: 1,
    label: 'Token requested',
    isConsented: true,
    moves: {
      authorizing: { first: 'the code was not sent, because Redis did not answer' },
      escrowed: { first: 'the response is sealed' },
      linked: { first: recovered },
      exchange_unknown: { first: 'exchange_unknown' },
      failed: {
        first:
          'code_refused, client_rejected, request_rejected, client_forgotten, client_secret_expired, app_suspended, redirect_uri_rejected, provider_unavailable, address_blocked',
      },
    },
  },
  escrowed: {
    status: 'pending',
    stepsDone: 2,
    label: 'Access received',
    isProvisioning: true,
    isConsented: true,
    isBacklog: true,
    moves: {
      connection_ready: {
        first: 'the function is not ready yet',
        import: 'the grant works, the function is not ready yet',
      },
      function_ready: {
        first: 'connection and function are ready',
        import: 'the grant works, connection and function are ready',
      },
      linked: { first: 'the same, without verification', import: 'the same, without verification' },
      testing: {
        first: 'the account is connected already and the session says relink; from here on it is a re-link',
        relink: 'same account, no permission lost',
        import: 'refresh tokens may rotate',
      },
      authorizing: { first: 'first no_refresh_token', relink: 'first account_mismatch, first no_refresh_token' },
      revoking: {
        first: `no_refresh_token, scope_missing, already_connected, connection_limit, if ${revokedLater}`,
        relink: `scope_missing, account_mismatch, if ${revokedLater}`,
      },
      failed: {
        first:
          'code_refused, client_rejected, request_rejected in a response with status 200; no_refresh_token, scope_missing, already_connected, connection_limit, identity_invalid, clock_wrong, answer_malformed',
        relink: 'scope_missing, account_mismatch, connection_gone',
        import: 'grant_revoked, scope_missing, import_account_mismatch',
      },
      needs_attention: {
        first: `answer_unreadable, address_blocked, platform_refused, name_taken, integration_removed, ${stopped}`,
        relink: `answer_unreadable, address_blocked, the provider does not revoke an unwanted grant, ${stopped}`,
        import: `client_rejected, client_secret_expired, app_suspended, refresh_refused, address_blocked, platform_refused, name_taken, integration_removed, ${stopped}`,
      },
    },
  },
  testing: {
    status: 'pending',
    stepsDone: 2,
    label: 'Testing the new access',
    isProvisioning: true,
    isConsented: true,
    moves: {
      tested: { relink: 'the grant was refreshed once' },
      connection_ready: { import: 'the grant works, the function is not ready yet' },
      function_ready: { import: 'the grant works, connection and function are ready' },
      linked: { import: 'the same, without verification' },
      escrowed: {
        relink: 'provider_unavailable, if refresh tokens rotate',
        import: 'provider_unavailable, platform_unavailable',
      },
      revoking: { relink: `grant_unusable, if ${revokedLater}` },
      failed: {
        relink: 'grant_unusable, connection_gone',
        import: 'grant_revoked; exchange_unknown, if the response was lost with its worker',
      },
      needs_attention: {
        relink: `answer_unreadable, address_blocked, ${stopped}`,
        import: 'address_blocked; scope_missing or import_account_mismatch, if the provider has replaced the token',
      },
    },
  },
  tested: {
    status: 'pending',
    stepsDone: 2,
    label: 'New access works',
    isProvisioning: true,
    isConsented: true,
    moves: {
      connection_ready: { relink: 'the platform has the new secrets' },
      failed: { relink: 'connection_gone' },
      needs_attention: { relink: `platform_refused, name_taken, ${stopped}` },
    },
  },
  connection_ready: {
    status: 'pending',
    stepsDone: 3,
    label: 'Connection created on the platform',
    isProvisioning: true,
    isConsented: true,
    isBacklog: true,
    moves: {
      function_ready: { first: 'the function is ready', relink: 'the function uses the connection' },
      linked: { first: 'without verification' },
      rolling_back: { relink: 'relink_rolled_back' },
      revoking: { first: `already_connected, connection_limit, if ${revokedLater}` },
      failed: {
        first: 'the grant does not work; already_connected, connection_limit, if another link was faster',
        relink: 'connection_gone',
      },
      needs_attention: {
        first: `platform_refused, name_taken, function_failed, ${stopped}`,
        relink: `function_failed, ${stopped}`,
      },
    },
  },
  function_ready: {
    status: 'pending',
    stepsDone: 4,
    label: 'Function created on the platform',
    isProvisioning: true,
    isConsented: true,
    isBacklog: true,
    moves: {
      linked: { first: 'verified over MCP; the grant was refreshed once if refresh tokens do not rotate' },
      verified: { relink: 'tools listed, one used' },
      rolling_back: { relink: 'relink_rolled_back' },
      revoking: { first: `grant_unusable, already_connected, connection_limit, if ${revokedLater}` },
      failed: {
        first:
          'grant_unusable, if refresh tokens do not rotate or an MCP server rejects the grant; already_connected, connection_limit, if another link was faster',
        relink: 'connection_gone',
      },
      needs_attention: {
        first: `client_rejected, profile_mismatch, address_blocked, if refresh tokens do not rotate; address_blocked, if the platform does not call an MCP server; platform_refused, function_failed, answer_unreadable, ${stopped}`,
        relink: `function_failed, ${stopped}`,
      },
    },
  },
  verified: {
    status: 'pending',
    stepsDone: 5,
    label: 'Verified',
    isProvisioning: true,
    isConsented: true,
    moves: {
      linked: { relink: 'the previous grant is retired' },
      failed: { relink: 'connection_gone' },
      needs_attention: { relink: `platform_refused, ${stopped}` },
    },
  },
  rolling_back: {
    status: 'pending',
    stepsDone: 4,
    label: 'Rolling back to the previous access',
    isProvisioning: true,
    moves: {
      failed: { relink: 'relink_rolled_back' },
      needs_attention: { relink: `function_failed, ${stopped}` },
    },
  },
  revoking: {
    status: 'failed',
    stepsDone: 2,
    label: 'Revoking access',
    isProvisioning: true,
    moves: {
      failed: { first: 'revoked', relink: 'revoked' },
      needs_attention: { first: 'the provider does not revoke it', relink: 'the provider does not revoke it' },
    },
  },
  needs_attention: {
    status: 'needs_attention',
    stepsDone: 2,
    label: 'Needs attention',
    isConsented: true,
    moves: {
      escrowed: { first: resumed, relink: resumed, import: resumed },
      testing: { relink: resumed, import: resumed },
      tested: { relink: resumed },
      connection_ready: { first: resumed, relink: resumed },
      function_ready: { first: resumed, relink: resumed },
      verified: { relink: resumed },
      rolling_back: { relink: resumed },
      revoking: {
        first: 'not resumed for ESCROW_DAYS, resumed, or ended by support',
        relink: 'not resumed for ESCROW_DAYS or ended by support, and it is not the grant in use',
      },
      failed: {
        first: 'ended, and the provider does not revoke it',
        relink: 'ended, and the provider does not revoke it',
      },
    },
  },
  linked: { status: 'linked', stepsDone: 5, label: 'Linked', moves: {} },
  cancelled: { status: 'cancelled', stepsDone: 0, label: 'Cancelled by the user', moves: {} },
  denied: { status: 'denied', stepsDone: 0, label: 'Denied by the user', moves: {} },
  abandoned: { status: 'abandoned', stepsDone: 0, label: 'Not completed', moves: {} },
  failed: { status: 'failed', stepsDone: 1, label: 'Failed', moves: {} },
  exchange_unknown: { status: 'failed', stepsDone: 1, label: 'No response to the token request', moves: {} },
} as const satisfies Record<string, StateEntry>

type Table = typeof linkStateTable
export type LinkState = keyof Table
type StateWith<Members> = { [S in LinkState]: Table[S] extends Members ? S : never }[LinkState]

export const linkStates = Object.keys(linkStateTable) as [LinkState, ...LinkState[]]

const statesWith = <Flag extends 'isProvisioning' | 'isConsented' | 'isBacklog'>(flag: Flag) =>
  linkStates.filter((state) => flag in linkStateTable[state]) as [StateWith<Record<Flag, true>>]

export type ProvisioningState = StateWith<{ isProvisioning: true }>

export const provisioningStates = statesWith('isProvisioning')
export const consentedStates = statesWith('isConsented')
export const backlogStates = statesWith('isBacklog')

export const isProvisioning = (state: LinkState): state is ProvisioningState =>
  'isProvisioning' in linkStateTable[state]

export const lockingStates: LinkState[] = ['exchanging', ...provisioningStates]

export const hasGrant = (state: LinkState): boolean => isProvisioning(state) || state === 'linked'

export const mayMove = (from: LinkState, to: LinkState): boolean => to in linkStateTable[from].moves

export const isEnded = (state: LinkState): boolean => Object.keys(linkStateTable[state].moves).length === 0

export const waitingStates = linkStates.filter((state) => mayMove(state, 'abandoned'))

export const statusOf = (state: LinkState): LinkStatus => linkStateTable[state].status

export const statesOf = (status: LinkStatus): LinkState[] => linkStates.filter((state) => statusOf(state) === status)
