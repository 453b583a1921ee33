// Why a link or a connection is not working: one closed list for the return URL, the API, webhooks, pages and audit.

/** `operator`: who runs this deployment, where its own keys, clients or integrations are at fault. */
export const whoseMoves = ['user', 'tenant', 'support', 'operator', 'provider', 'platform'] as const
export type WhoseMove = (typeof whoseMoves)[number]

type Explanation = { whoseMove: WhoseMove; title: string; advice: string }

export const causes = {
  consent_denied: {
    whoseMove: 'user',
    title: 'Access was declined',
    advice: 'Start again and allow access when the app asks.',
  },
  user_cancelled: {
    whoseMove: 'user',
    title: 'The user cancelled',
    advice: 'They chose Cancel before going to the app, and nothing was shared. Start again to connect after all.',
  },
  consent_failed: {
    whoseMove: 'provider',
    title: 'The app could not ask for consent',
    advice: 'The app reported an error of its own. Try again in a few minutes.',
  },
  session_expired: {
    whoseMove: 'user',
    title: 'The request expired',
    advice: 'The link was not finished in time. Start again from where you came from.',
  },
  session_cancelled: {
    whoseMove: 'tenant',
    title: 'The request was cancelled',
    advice: 'Request a new link if it is still needed.',
  },
  completion_missing: {
    whoseMove: 'tenant',
    title: 'The link was never confirmed',
    advice: 'The application that requested it did not confirm it in time. Start again from there.',
  },
  completion_refused: {
    whoseMove: 'tenant',
    title: 'The confirmation did not match',
    advice: 'The application that requested it sent the wrong verifier too many times. Start again from there.',
  },
  callback_rejected: {
    whoseMove: 'provider',
    title: 'The app’s response cannot be trusted',
    advice: 'Nothing was linked. If it happens again, contact support.',
  },
  code_refused: {
    whoseMove: 'user',
    title: 'The app rejected its own authorization code',
    advice: 'It may have expired on the way. Start again.',
  },
  client_rejected: {
    whoseMove: 'operator',
    title: 'The app rejected our OAuth client',
    advice:
      'The client ID or secret registered for this integration is wrong or has changed. Its owner has to correct it: the operator of this deployment, or the tenant for a client of its own. Then try again.',
  },
  request_rejected: {
    whoseMove: 'operator',
    title: 'The app says that our request is not valid',
    advice:
      'The profile of this integration does not fit the app: a parameter is missing, or one is sent that it does not take, such as those of PKCE. The operator of this deployment has to correct the profile. Support can see the error code of the app.',
  },
  redirect_uri_rejected: {
    whoseMove: 'operator',
    title: 'The app rejected our redirect URI',
    advice:
      'The redirect URI of this deployment is not registered for the OAuth client. Its owner has to register it, character for character: the operator of this deployment, or the tenant for a client of its own. Then try again.',
  },
  client_forgotten: {
    whoseMove: 'user',
    title: 'The app forgot our registration',
    advice:
      'The app registered this deployment as an OAuth client and no longer knows it. The next link registers it again: start again, or link the account again.',
  },
  client_registration_refused: {
    whoseMove: 'operator',
    title: 'The app does not let us register',
    advice:
      'The authorization server of this MCP server accepts no OAuth client that registers itself, or rejected ours. The operator of this deployment has to register one there and put its ID and secret into the integrations file; a tenant may bring a client of its own.',
  },
  mcp_server_unprotected: {
    whoseMove: 'operator',
    title: 'The MCP server does not ask for a sign-in',
    advice:
      'There is no MCP server protected by OAuth at the address of this integration, so there is nothing to link. The operator of this deployment has to check the address.',
  },
  mcp_metadata_unusable: {
    whoseMove: 'provider',
    title: 'The MCP server’s OAuth metadata cannot be used',
    advice:
      'It is missing, contradicts itself, lacks PKCE, or names an address that we do not call. Nothing was linked. Support can see which part it is; only the app can correct it.',
  },
  mcp_issuer_unexpected: {
    whoseMove: 'operator',
    title: 'The MCP server names another authorization server',
    advice:
      'The integration, or the OAuth client that was given for it, is for another issuer. Nothing was linked, and no secret was sent there. If the app has moved, its operator has to set `issuer` of the integration and register a client there; connections can then be linked again.',
  },
  client_secret_expired: {
    whoseMove: 'operator',
    title: 'Our client secret has expired',
    advice:
      'The app no longer accepts the secret of the OAuth client because it has expired. Its owner has to create a new one and store it: the operator of this deployment, or the tenant for a client of its own. Grants stay valid. Then try again.',
  },
  app_unverified: {
    whoseMove: 'operator',
    title: 'The app lets only some users in',
    advice:
      'The OAuth client is not published or verified: only test users, or users of one organization, may connect. Its owner has to publish or verify it at the app, or add the user: the operator of this deployment, or the tenant for a client of its own.',
  },
  app_suspended: {
    whoseMove: 'operator',
    title: 'The app suspended our OAuth client',
    advice:
      'The OAuth client was disabled, suspended or deleted at the app. Its owner has to restore it there, or register a new one: the operator of this deployment, or the tenant for a client of its own. With a new one every account has to be linked again.',
  },
  admin_approval_needed: {
    whoseMove: 'user',
    title: 'An administrator has to approve access',
    advice:
      'The organization of the user allows only applications that its administrator approved. Ask the administrator to approve this one, then start again.',
  },
  callback_missing: {
    whoseMove: 'operator',
    title: 'No user has come back from the app',
    advice:
      'None of the latest users of this integration returned: the app most likely shows them an error, because the redirect URI or the client ID is not registered there as it is used here. Its owner has to check that: the operator of this deployment, or the tenant for a client of its own.',
  },
  provider_unavailable: {
    whoseMove: 'provider',
    title: 'The app is not responding',
    advice: 'It may be down or overloaded. Try again in a few minutes.',
  },
  answer_malformed: {
    whoseMove: 'provider',
    title: 'The app sent a response we cannot use',
    advice: 'Nothing was linked. Support can see which response it was.',
  },
  answer_unreadable: {
    whoseMove: 'support',
    title: 'The app sent a response that cannot be read yet',
    advice:
      'It may contain a grant, so it is stored safely. Support has to find out what it says, or end the link; then start again.',
  },
  identity_invalid: {
    whoseMove: 'provider',
    title: 'The app could not confirm the account',
    advice: 'Nothing was linked. If it happens again, contact support.',
  },
  no_refresh_token: {
    whoseMove: 'user',
    title: 'The app granted temporary access only',
    advice: 'Remove this application from the connected applications in your account at the app, then start again.',
  },
  refresh_tokens_off: {
    whoseMove: 'operator',
    title: 'The app is registered without refresh tokens',
    advice:
      'The provider issues refresh tokens only if that is turned on where the app is registered. Its owner has to turn it on: the operator of this deployment, or the tenant for a client of its own. Then try again.',
  },
  refresh_tokens_not_approved: {
    whoseMove: 'operator',
    title: 'The app is not approved for refresh tokens',
    advice:
      'The provider issues refresh tokens only to apps that it has approved. Its owner has to apply for that: the operator of this deployment, or the tenant for a client of its own. Then try again.',
  },
  scope_missing: {
    whoseMove: 'user',
    title: 'Some permissions were not granted',
    advice: 'Start again and leave every permission selected.',
  },
  scope_insufficient: {
    whoseMove: 'user',
    title: 'The app asks for more permissions',
    advice: 'What was granted no longer covers what the connection is used for. Link the account again to grant more.',
  },
  account_mismatch: {
    whoseMove: 'user',
    title: 'You signed in with a different account',
    advice: 'Start again and sign in with the account of this connection.',
  },
  import_account_mismatch: {
    whoseMove: 'tenant',
    title: 'The imported grant belongs to another account',
    advice:
      'The app named another account than the import did. Nothing was set up. Correct the account and import the grant again under a new key.',
  },
  already_connected: {
    whoseMove: 'user',
    title: 'The account is connected already',
    advice:
      'The user connected this account before, and the session was created with `ifConnected: refuse`. Nothing was changed. Start again and sign in with another account.',
  },
  connection_limit: {
    whoseMove: 'user',
    title: 'The user has as many connections as allowed',
    advice:
      'The tenant limits how many accounts of this app a user may connect (`maxConnectionsPerUser`). Nothing was changed. Disconnect one, then start again.',
  },
  grant_unusable: {
    whoseMove: 'user',
    title: 'The new grant does not work',
    advice: 'The app granted access and then rejected it. The connection is unchanged. Start again.',
  },
  relink_rolled_back: {
    whoseMove: 'support',
    title: 'The new grant failed and was rolled back',
    advice: 'The previous grant was restored. Support has to find out why before you try again.',
  },
  grant_revoked: {
    whoseMove: 'user',
    title: 'Access was revoked',
    advice: 'The app no longer accepts the grant: it was revoked or has expired. Link the account again.',
  },
  profile_mismatch: {
    whoseMove: 'operator',
    title: 'The integration does not describe how the app renews access',
    advice:
      'The app takes the request to renew access, or answers it, in another way than the profile of this integration says. The grant stays valid. The operator of this deployment has to correct the profile; the connection then works again by itself.',
  },
  refresh_refused: {
    whoseMove: 'provider',
    title: 'The app did not renew access',
    advice: 'It rejected the request without a reason. We try again; after that, the account has to be linked again.',
  },
  connection_gone: {
    whoseMove: 'tenant',
    title: 'The connection was removed',
    advice: 'It was disconnected in the meantime. Link the account again if it is still needed.',
  },
  connection_busy: {
    whoseMove: 'platform',
    title: 'Another change is in progress',
    advice: 'We will continue when it has finished.',
  },
  exchange_unknown: {
    whoseMove: 'user',
    title: 'The app did not confirm access',
    advice: 'The app received our request and never responded. Nothing was linked. Start again.',
  },
  platform_unavailable: {
    whoseMove: 'platform',
    title: 'The platform is not responding',
    advice: 'We keep retrying and will finish without you.',
  },
  platform_refused: {
    whoseMove: 'operator',
    title: 'The platform rejected the setup',
    advice:
      'The platform’s key or workspace does not allow it. The operator of this deployment has to fix that. The grant is stored safely until then.',
  },
  platform_misconfigured: {
    whoseMove: 'operator',
    title: 'This deployment cannot use the platform',
    advice:
      'The platform rejects our key, or its address or certificate is wrong. The operator of this deployment has to correct that; everything that waits then continues by itself.',
  },
  name_taken: {
    whoseMove: 'support',
    title: 'The name is taken on the platform',
    advice: 'A resource that Causeway did not create has this name. Support has to resolve it.',
  },
  integration_removed: {
    whoseMove: 'operator',
    title: 'The integration is no longer available',
    advice: 'The operator of this deployment has to restore it or its client. Grants are stored safely until then.',
  },
  worker_crashed: {
    whoseMove: 'support',
    title: 'Work on this was stopped',
    advice: 'Workers crashed repeatedly on it, so it was set aside. Support has to look into it before it continues.',
  },
  sealed_unreadable: {
    whoseMove: 'operator',
    title: 'A stored secret cannot be decrypted',
    advice:
      'The encryption key it was sealed with is missing, or the stored value was changed. The operator of this deployment has to restore the key or the database.',
  },
  function_failed: {
    whoseMove: 'support',
    title: 'The function did not start',
    advice: 'Support has to look into it. The grant is stored safely until then.',
  },
} as const satisfies Record<string, Explanation>

export type Cause = keyof typeof causes

/** Only the user can do better, so a link that stops for it has ended: to wait for somebody else would be in vain. */
export const isUsersMove = (cause: Cause): boolean => causes[cause].whoseMove === 'user'

export const causeCodes = Object.keys(causes) as [Cause, ...Cause[]]

export type ExplainedCause = Explanation & { code: Cause; guide: string }

/** A cause as it is told outside; `guide` is the address, below that of the deployment, that says more about it. */
export const explain = (cause: Cause): ExplainedCause => ({ code: cause, ...causes[cause], guide: `/causes/${cause}` })
