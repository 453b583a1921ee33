import type { CauseEntry } from './cause-entry.ts'

export const registrationCauses = {
  client_rejected: {
    whoseMove: 'operator',
    title: 'The app rejected our OAuth client',
    advice:
      'The client ID or secret registered for this integration is wrong or has changed, or `clientAuthentication` of its profile sends them in a way that the app does not accept. Its owner has to correct it: the operator of this deployment, also for the profile, or the tenant for its own client. Then try again.',
    forUser: {
      title: '{app} rejected the connection',
      advice:
        'This service isn’t registered correctly with {app}, and you can try again once that’s fixed. For help, please contact {tenant}.',
    },
    forAgent:
      'Ask your operator to check the client ID and secret for this app. After that, send the user a reconnect link.',
    guide: 'add-an-integration.md#a-tenants-own-client',
    breaksConnection: true,
    faultOf: 'client',
  },
  request_rejected: {
    whoseMove: 'operator',
    title: 'The app says that our request is not valid',
    advice:
      'The profile of this integration does not fit the app: a parameter is missing, or the app does not accept one, such as those of PKCE or a scope (`invalid_scope`). The operator of this deployment has to correct the profile, or allow the scopes where the OAuth client is registered. Support can see the error code of the app.',
    forUser: 'client_rejected',
    forAgent: 'The app does not accept how we ask. Ask your operator to correct the settings of this app.',
    guide: 'add-an-integration.md#any-other-provider',
  },
  redirect_uri_rejected: {
    whoseMove: 'operator',
    title: 'The app rejected our redirect URI',
    advice:
      'The redirect URI of this deployment is not registered for the OAuth client. Its owner has to register it, character for character: the operator of this deployment, or the tenant for its own client. Then try again.',
    forUser: 'client_rejected',
    forAgent: 'Ask your operator to register our redirect URI at the app. Then ask the user to start again.',
    guide: 'add-an-integration.md',
  },
  client_forgotten: {
    whoseMove: 'user',
    title: 'The app forgot our registration',
    advice:
      'The app registered this deployment as an OAuth client and no longer knows it. The next link registers it again: start again, or link the account again.',
    forUser: {
      title: '{app} no longer recognizes this service',
      advice: 'Nothing was changed. Please try again; this service will then register with {app} automatically.',
    },
    forAgent: 'The next attempt registers us again. Send the user a reconnect link, or ask them to start again.',
    guide: 'link-an-mcp-server.md#which-client-is-used',
  },
  client_registration_refused: {
    whoseMove: 'operator',
    title: 'The app does not let us register',
    advice:
      'The authorization server of this MCP server accepts no OAuth client that registers itself, or rejected ours. The operator of this deployment has to register one there and put its ID and secret into the integrations file; a tenant may bring its own client.',
    forUser: 'client_rejected',
    forAgent: 'Ask your operator to register an OAuth client at the app by hand.',
    guide: 'link-an-mcp-server.md#which-client-is-used',
  },
  mcp_server_unprotected: {
    whoseMove: 'operator',
    title: 'The MCP server does not ask for a sign-in',
    advice:
      'There is no MCP server protected by OAuth at the address of this integration, so there is nothing to link. The operator of this deployment has to check the address.',
    forUser: {
      title: '{app} can’t be connected right now',
      advice: 'It isn’t set up correctly here. You don’t need to do anything; for help, please contact {tenant}.',
    },
    forAgent: 'Ask your operator to check the address of this MCP server.',
    guide: 'link-an-mcp-server.md#when-it-cannot-be-linked',
  },
  mcp_server_redirects: {
    whoseMove: 'operator',
    title: 'The MCP server redirects to another address',
    advice:
      'We do not follow redirects of an MCP server, because the token would go to an address that nobody configured. The operator of this deployment has to set the final address as `mcpUrl` of the integration, if it belongs to the app.',
    forUser: 'mcp_server_unprotected',
    forAgent: 'Ask your operator to set the server’s final address.',
    guide: 'link-an-mcp-server.md#when-it-cannot-be-linked',
  },
  mcp_metadata_unusable: {
    whoseMove: 'provider',
    title: 'The MCP server’s OAuth metadata cannot be used',
    advice:
      'It is missing, contradicts itself, lacks PKCE, or names an address that we do not call. Nothing was linked. Support can see which part it is; only the app can correct it.',
    forUser: {
      title: '{app} can’t be connected right now',
      advice: '{app} publishes sign-in details we can’t use. Nothing was connected; for help, please contact {tenant}.',
    },
    forAgent: 'Only the app can correct this. Tell your operator, who can report it to the vendor.',
    guide: 'link-an-mcp-server.md#when-it-cannot-be-linked',
  },
  mcp_issuer_unexpected: {
    whoseMove: 'operator',
    title: 'The MCP server names another authorization server',
    advice:
      'The integration, or its OAuth client, is for another issuer. Nothing was linked, and no secret was sent there. If the app has moved, its operator has to set `issuer` of the integration and register a client there; connections can then be linked again.',
    forUser: 'client_rejected',
    forAgent: 'Nothing was connected. Ask your operator whether the app has moved to another sign-in service.',
    guide: 'link-an-mcp-server.md#when-it-cannot-be-linked',
  },
  client_secret_expired: {
    whoseMove: 'operator',
    title: 'Our client secret has expired',
    advice:
      'The app no longer accepts the secret of the OAuth client because it has expired. Its owner has to create a new one and store it: the operator of this deployment, or the tenant for its own client. Grants stay valid. Then try again.',
    forUser: 'client_rejected',
    forAgent: 'Ask your operator to store a new client secret for this app. Connections stay valid.',
    guide: 'add-an-integration.md#a-tenants-own-client',
    faultOf: 'client',
  },
  app_unverified: {
    whoseMove: 'operator',
    title: 'The app lets only some users in',
    advice:
      'The OAuth client is not published or verified: only test users, or users of one organization, may connect. Its owner has to publish or verify it at the app, or add the user: the operator of this deployment, or the tenant for its own client.',
    forUser: {
      title: '{app} doesn’t let you connect yet',
      advice:
        'This service isn’t open to all {app} accounts yet, and nothing was changed. Please contact {tenant} to have your account added.',
    },
    forAgent: 'The app lets in only some users. Ask your operator to publish our client there, or to add the user.',
    guide: 'add-an-integration.md',
  },
  app_suspended: {
    whoseMove: 'operator',
    title: 'The app suspended our OAuth client',
    advice:
      'The OAuth client was disabled, suspended or deleted at the app. Its owner has to restore it there, or register a new one: the operator of this deployment, or the tenant for its own client. With a new client every account has to be linked again.',
    forUser: 'client_rejected',
    forAgent: 'The app disabled our OAuth client. Ask your operator to restore it there.',
    guide: 'add-an-integration.md',
    faultOf: 'client',
  },
  admin_approval_needed: {
    whoseMove: 'user',
    title: 'An administrator has to approve access',
    advice:
      'The organization of the user allows only applications that its administrator approved. Ask the administrator to approve this one, then start again.',
    forUser: {
      title: 'Your admin needs to approve {tenant} first',
      advice: 'Ask your {app} admin to approve {tenant}, then try again.',
    },
    forAgent:
      'The user’s organization has to approve us. Ask the user to contact their administrator, then to start again.',
    guide: 'connect-your-users.md#the-four-steps',
  },
  clock_wrong: {
    whoseMove: 'operator',
    title: 'The clocks of this deployment and the app differ',
    advice:
      'By the clock of this deployment, what the app signed has expired or is not valid yet, and the app reported another time. The operator of this deployment has to set the clock of its machines, for example by NTP. If that clock is right, the app’s is wrong, and the app has to correct it. Nothing was linked. Then start again.',
    forUser: 'integration_removed',
    forAgent: {
      title: 'The clocks of this server and the app differ',
      advice: 'Ask your operator to check the clock of this server. Then ask the user to start again.',
    },
    guide: 'doctor.md#clocks',
  },
  callback_missing: {
    whoseMove: 'operator',
    title: 'No user has come back from the app',
    advice:
      'None of the latest users of this integration returned: the app most likely shows them an error, because the redirect URI or the client ID does not match the registration. Its owner has to check that: the operator of this deployment, or the tenant for its own client.',
    forUser: {
      title: 'This request has expired',
      advice:
        'Nothing was changed, and you can try again from {tenant}. If {app} showed you an error, it wasn’t your fault: please contact {tenant}.',
    },
    forAgent: 'The app most likely shows users an error. Ask your operator to check how we are registered there.',
    guide: 'add-an-integration.md',
  },
} as const satisfies Record<string, CauseEntry>
