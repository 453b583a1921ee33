// What the app granted: its answers, tokens, permissions and account.
export const grantCauses = {
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
    title: 'The profile of the integration does not fit the app',
    advice:
      'The app takes the request to renew access, or answers it, in another way than the profile of this integration says; or the tool that checks connections cannot be called as it is described there. The grant stays valid. The operator of this deployment has to correct the profile; the connection then works again by itself.',
  },
  check_held_back: {
    whoseMove: 'operator',
    title: 'The platform held back the health check',
    advice:
      'The limit of calls for the tool that checks connections is used up, or the vendor has changed that tool and the change is not approved yet. The app was not asked, and the connection may well work. If it lasts, the operator of this deployment has to raise the limit or approve the tool.',
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
} as const
