import type { CauseEntry } from './cause-entry.ts'

export const grantCauses = {
  provider_unavailable: {
    whoseMove: 'provider',
    title: 'The app is not responding',
    advice: 'It may be down or overloaded. Try again in a few minutes.',
    forUser: {
      title: '{app} isn’t responding',
      advice:
        'It may be down or very busy; try again in a few minutes. If it keeps happening, please contact {tenant}.',
    },
    forAgent: 'The app may be down or overloaded. Nothing to do: we try again, or the user can in a few minutes.',
    guide: 'connect-your-users.md#when-it-takes-longer',
  },
  answer_malformed: {
    whoseMove: 'provider',
    title: 'The app sent a response we cannot use',
    advice: 'Nothing was linked. Support can see which response it was.',
    forUser: {
      title: '{app} sent a response we can’t use',
      advice: 'Nothing was connected. Please contact {tenant}: this has to be looked into before you try again.',
    },
    forAgent:
      'Nothing was connected. Tell your operator; the outside calls on the attempt’s page show which response it was.',
    guide: 'add-an-integration.md#any-other-provider',
  },
  answer_unreadable: {
    whoseMove: 'support',
    title: 'The app sent a response that cannot be read yet',
    advice:
      'It may contain a grant, so it is stored safely. Support has to find out what it says, or end the link; then start again.',
    forUser: {
      title: '{app} sent a response we can’t read',
      advice:
        'You don’t need to do anything: the response is stored safely while we look into it. If {tenant} still can’t use {app} tomorrow, please contact them.',
    },
    forOperator:
      'The response may contain a grant and is stored sealed. If a newer release or a corrected profile can read it, resume the link. Otherwise ask the user to remove the access in their account at the app, end the link, and let them start again.',
    forAgent:
      'The response is stored safely. Ask your operator whether it can be read, then resume. Otherwise ask the user to remove the access in their account at the app, and end the attempt.',
    guide: 'support-console.md#a-response-that-cannot-be-read',
    whenFinal: 'park',
  },
  identity_invalid: {
    whoseMove: 'provider',
    title: 'The app could not confirm the account',
    advice: 'Nothing was linked. If it happens again, contact support.',
    forUser: {
      title: '{app} didn’t say which account this is',
      advice: 'Nothing was connected, so please try again. If it keeps happening, please contact {tenant}.',
    },
    forAgent:
      'The app did not say which account it is. Ask the user to start again. Tell your operator if it happens again.',
    guide: 'add-an-integration.md#any-other-provider',
  },
  no_refresh_token: {
    whoseMove: 'user',
    title: 'The app granted temporary access only',
    advice: 'Remove this application from the connected applications in your account at the app, then start again.',
    forUser: {
      title: '{app} gave temporary access only',
      advice:
        '{app} remembers an older permission. Remove it from the connected apps in your {app} settings, then try again.',
    },
    forAgent:
      'Ask the user to remove this service from the connected apps in their account at the app, then to start again.',
    guide: 'connect-your-users.md#the-four-steps',
  },
  refresh_tokens_off: {
    whoseMove: 'operator',
    title: 'The app is registered without refresh tokens',
    advice:
      'The provider issues refresh tokens only if that is turned on where the app is registered. Its owner has to turn it on: the operator of this deployment, or the tenant for its own client. Then try again.',
    forUser: {
      title: '{app} gave temporary access only',
      advice:
        'Nothing was connected, because {tenant} has to change how it is registered at {app}. Please contact {tenant}.',
    },
    forAgent:
      'Ask your operator to turn on lasting access where the app is registered. Then ask the user to start again.',
    guide: 'add-an-integration.md#any-other-provider',
  },
  refresh_tokens_not_approved: {
    whoseMove: 'operator',
    title: 'The app is not approved for refresh tokens',
    advice:
      'The provider issues refresh tokens only to apps that it has approved. Its owner has to apply for that: the operator of this deployment, or the tenant for its own client. Then try again.',
    forUser: {
      title: '{app} gave temporary access only',
      advice: 'Nothing was connected, because {app} has to approve {tenant} first. Please contact {tenant}.',
    },
    forAgent: 'The app has to approve lasting access first. Ask your operator to apply for it.',
    guide: 'add-an-integration.md#any-other-provider',
  },
  scope_missing: {
    whoseMove: 'user',
    title: 'Some permissions were not granted',
    advice: 'Start again and leave every permission selected.',
    forUser: {
      title: 'Some permissions are missing',
      advice: 'Nothing was changed. Try again and leave every permission selected.',
    },
    forAgent: 'The user left out a permission. Ask them to start again and to leave every permission selected.',
    guide: 'relink-a-connection.md#fix-it',
  },
  scope_insufficient: {
    whoseMove: 'user',
    title: 'The app asks for more permissions',
    advice: 'The granted permissions no longer cover the use of the connection. Link the account again to grant more.',
    forUser: {
      title: '{app} needs more permissions',
      advice: 'The permissions you gave no longer cover everything. Try again and allow what {app} asks for.',
    },
    forAgent: 'Send the user a reconnect link. At the app they have to allow everything it asks for.',
    guide: 'relink-a-connection.md#fix-it',
    breaksConnection: true,
  },
  account_mismatch: {
    whoseMove: 'user',
    title: 'You signed in with a different account',
    advice: 'Start again and sign in with the account of this connection.',
    forUser: {
      title: 'You signed in with a different account',
      advice: 'Nothing was changed. Try again and sign in to {app} with the account you connected before.',
    },
    forAgent: {
      title: 'The user signed in with a different account',
      advice: 'Ask the user to sign in with the account of this connection. An admin can allow a different one.',
    },
    guide: 'relink-a-connection.md#fix-it',
  },
  import_account_mismatch: {
    whoseMove: 'tenant',
    title: 'The imported grant belongs to another account',
    advice:
      'The app named a different account than the import. Nothing was set up. Correct the account and import the grant again under a new key.',
    forUser: 'function_failed',
    forAgent: {
      title: 'The imported access belongs to another account',
      advice: 'Nothing was set up. Tell the tenant to correct the account and import it again.',
    },
    guide: 'import-grants.md#what-became-of-each-row',
  },
  already_connected: {
    whoseMove: 'user',
    title: 'The account is connected already',
    advice:
      'The user connected this account before, and the session was created with `ifConnected: refuse`. Nothing was changed. Start again and sign in with another account.',
    forUser: {
      title: 'This account is already connected',
      advice: 'Nothing was changed. To connect a different {app} account, try again and sign in with that one.',
    },
    forAgent: 'The user connected this account before, and nothing was changed. They can sign in with another account.',
    guide: 'connect-your-users.md#connect-again',
  },
  connection_limit: {
    whoseMove: 'user',
    title: 'The user has as many connections as allowed',
    advice:
      'The tenant limits how many accounts of this app a user may connect (`maxConnectionsPerUser`). Nothing was changed. Disconnect one, then start again.',
    forUser: {
      title: 'You can’t connect another {app} account',
      advice: 'You’ve reached {tenant}’s limit for {app} accounts. Disconnect one in {tenant}, then try again.',
    },
    forAgent: 'The tenant limits how many accounts a user may connect. Ask the user to disconnect one first.',
    guide: 'connect-your-users.md#connect-again',
  },
  grant_unusable: {
    whoseMove: 'user',
    title: 'The new grant does not work',
    advice: 'The app granted access and then rejected it. The connection is unchanged. Start again.',
    forUser: {
      title: '{app}’s permission didn’t work',
      advice:
        'We tested the permission you gave and it didn’t work, so nothing was changed. Try again, and contact {tenant} if it keeps happening.',
    },
    forAgent: {
      title: 'The new access does not work',
      advice: 'The app allowed access and then rejected it. The connection is unchanged. Ask the user to try again.',
    },
    guide: 'relink-a-connection.md#fix-it',
  },
  relink_rolled_back: {
    whoseMove: 'support',
    title: 'The new grant failed and was rolled back',
    advice: 'The previous grant was restored. Support has to find out why before you try again.',
    forUser: {
      title: 'The new connection didn’t work',
      advice:
        'You don’t need to do anything: we restored the previous connection, and you’ll be asked again once we know why. For help, please contact {tenant}.',
    },
    forOperator:
      'The previous grant was restored. Find out why the function rejected the new one before the user tries again.',
    forAgent: {
      title: 'The new access failed, and the previous one was restored',
      advice:
        'The connection works as before. Ask your operator why the new access failed before the user tries again.',
    },
    guide: 'relink-a-connection.md#fix-it',
  },
  grant_revoked: {
    whoseMove: 'user',
    title: 'Access was revoked',
    advice: 'The app no longer accepts the grant: it was revoked or has expired. Link the account again.',
    forUser: {
      title: '{app} access has ended',
      advice: 'Reconnect to restore it.',
    },
    forAgent: 'The app no longer accepts the user’s permission. Send the user a reconnect link.',
    guide: 'relink-a-connection.md#fix-it',
    breaksConnection: true,
    preventsRevert: true,
  },
  profile_mismatch: {
    whoseMove: 'operator',
    title: 'The profile of the integration does not fit the app',
    advice:
      'The profile of this integration does not describe how the app renews access, or the tool that checks connections cannot be called as described there. The grant stays valid. The operator of this deployment has to correct the profile; the connection then recovers automatically.',
    forUser: {
      title: 'Access to {app} couldn’t be renewed',
      advice: 'How {tenant} renews access to {app} has to be corrected first. For help, please contact {tenant}.',
    },
    forAgent: {
      title: 'The integration’s settings do not fit the app',
      advice: 'Ask your operator to correct the settings of this app. The connection then recovers automatically.',
    },
    guide: 'add-an-integration.md#any-other-provider',
    faultOf: 'profile',
  },
  check_held_back: {
    whoseMove: 'operator',
    title: 'The platform held back the health check',
    advice:
      'The limit of calls for the tool that checks connections is used up, or the vendor has changed that tool and the change is not approved yet. The app was not called, and the connection may still work. If it lasts, the operator of this deployment has to raise the limit or approve the tool.',
    forUser: 'function_failed',
    forAgent: {
      title: 'The check was not allowed to run',
      advice: 'The connection may still work. Ask your operator if this stays for more than a day.',
    },
    guide: 'link-an-mcp-server.md#tools-that-change',
  },
  refresh_refused: {
    whoseMove: 'provider',
    title: 'The app did not renew access',
    advice: 'It rejected the request without a reason. We retry; after that, the account has to be linked again.',
    forUser: {
      title: '{app} didn’t renew access',
      advice:
        'We’ll try again soon, and ask you to connect again if it still doesn’t work. For help, please contact {tenant}.',
    },
    forAgent:
      'The app gave no reason. Nothing to do: we try again. If it still fails, the page asks for a reconnect link.',
    guide: 'relink-a-connection.md#fix-it',
  },
  connection_gone: {
    whoseMove: 'tenant',
    title: 'The connection was removed',
    advice: 'It was disconnected in the meantime. Link the account again if it is still needed.',
    forUser: {
      title: 'This connection was removed',
      advice: 'It was disconnected in the meantime. If you still want it, connect {app} again from {tenant}.',
    },
    forAgent:
      'It was disconnected in the meantime. Ask the user to connect again in the tenant’s product if it is still needed.',
    guide: 'relink-a-connection.md#disconnect',
  },
  connection_busy: {
    whoseMove: 'platform',
    title: 'Another change is in progress',
    advice: 'We will continue when it has finished.',
    forUser: {
      title: 'Another change is in progress',
      advice: 'You don’t need to do anything. We’ll continue when the other change is finished.',
    },
    forAgent: 'Nothing to do: this continues when the other change has finished.',
    guide: 'relink-a-connection.md#fix-it',
  },
} as const satisfies Record<string, CauseEntry>
