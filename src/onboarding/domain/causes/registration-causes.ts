// How this deployment, or a tenant with a client of its own, is registered with the app.
export const registrationCauses = {
  client_rejected: {
    whoseMove: 'operator',
    title: 'The app rejected our OAuth client',
    advice:
      'The client ID or secret registered for this integration is wrong or has changed, or `clientAuthentication` of its profile sends them in another way than the app takes them. Its owner has to correct it: the operator of this deployment, also for the profile, or the tenant for a client of its own. Then try again.',
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
} as const
