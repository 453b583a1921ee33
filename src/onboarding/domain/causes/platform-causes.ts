import type { CauseEntry } from './cause-entry.ts'

export const platformCauses = {
  exchange_unknown: {
    whoseMove: 'user',
    title: 'The app did not confirm access',
    advice: 'The app received our request and never responded. Nothing was linked. Start again.',
    forUser: {
      title: '{app} didn’t confirm access',
      advice: '{app} received our request but never responded, so nothing was connected. Please try again.',
    },
    forAgent: 'The app received the request and never answered, so nothing was connected. Ask the user to start again.',
    guide: 'connect-your-users.md#when-it-takes-longer',
  },
  platform_unavailable: {
    whoseMove: 'platform',
    title: 'The platform is not responding',
    advice: 'We keep retrying and will finish without you.',
    forUser: {
      title: 'This is taking longer than usual',
      advice:
        'You don’t need to do anything: your permission is stored safely, and we’ll keep trying. If {tenant} still can’t use it tomorrow, please contact them.',
    },
    forAgent: 'Nothing to do: we keep trying. Tell your operator if it lasts.',
    guide: 'connect-your-users.md#when-it-takes-longer',
  },
  platform_refused: {
    whoseMove: 'operator',
    title: 'The platform rejected the setup',
    advice:
      'The platform’s key or workspace does not allow it. The operator of this deployment has to fix that. The grant is stored safely until then.',
    forUser: 'function_failed',
    forOperator: 'The grant is stored. Find out what the platform rejected, fix it, and resume the link.',
    forAgent: 'What the user allowed is stored. Ask your operator to fix the setup on the platform, then resume.',
    guide: 'watch-it.md',
    whenFinal: 'park',
  },
  platform_misconfigured: {
    whoseMove: 'operator',
    title: 'This deployment cannot use the platform',
    advice:
      'The platform rejects our key, or its address or certificate is wrong. The operator of this deployment has to correct that; waiting links then continue automatically.',
    forUser: {
      title: 'This is taking longer than usual',
      advice:
        'You don’t need to do anything: your permission is stored safely, and we’ll continue once a setting on our side is fixed. If {tenant} still can’t use it tomorrow, please contact them.',
    },
    forOperator:
      'The audit of the link and System status say what is wrong: PLATFORM_API_KEY, PLATFORM_URL or the certificate. Links continue automatically once the operator has corrected it.',
    forAgent: {
      title: 'The platform can’t be used',
      advice: 'Tell your operator; System status says what is wrong. Waiting attempts then continue automatically.',
    },
    guide: 'watch-it.md',
  },
  address_blocked: {
    whoseMove: 'operator',
    title: 'This deployment does not call the address of the app',
    advice:
      'The address is private or has no TLS, and is not in `EGRESS_ALLOW`, so the app was never called. The operator of this deployment has to add its `host:port` there and restart, or correct the address in the profile. Grants are stored safely until then.',
    forUser: 'integration_removed',
    forOperator:
      'The app was never called. `causeway doctor` names the address; for an MCP server it may be the platform that does not call it (MCP_EGRESS_ALLOW). Once the operator has allowed or corrected it, resume links that need attention; after a failed link, the user has to start again.',
    forAgent: {
      title: 'Calls to this app are blocked here',
      advice: 'Ask your operator to allow the app’s address. Then resume, or ask the user to start again.',
    },
    guide: 'add-an-integration.md#what-is-checked-at-start',
    whenFinal: 'park',
    faultOf: 'profile',
  },
  name_taken: {
    whoseMove: 'support',
    title: 'The name is taken on the platform',
    advice: 'A resource that Causeway did not create has this name. Support has to resolve it.',
    forUser: 'function_failed',
    forOperator:
      'A resource that Causeway did not create has this name. Rename or remove it on the platform, and resume the link.',
    forAgent: 'Something else on the platform has this name. Ask your operator to rename or remove it, then resume.',
    guide: 'watch-it.md',
    whenFinal: 'park',
  },
  integration_removed: {
    whoseMove: 'operator',
    title: 'The integration is no longer available',
    advice: 'The operator of this deployment has to restore it or its client. Grants are stored safely until then.',
    forUser: {
      title: '{app} can’t be connected right now',
      advice:
        'You don’t need to do anything: you’ll be asked again if it’s still needed. For help, please contact {tenant}.',
    },
    forOperator:
      'Restore the integration or its OAuth client. Then resume links that need attention; after a failed link, the user has to start again.',
    forAgent: 'Ask your operator to restore the app or its OAuth client. Then resume, or ask the user to start again.',
    guide: 'add-an-integration.md',
    preventsRevert: true,
  },
  worker_crashed: {
    whoseMove: 'support',
    title: 'Work on this was stopped',
    advice: 'Workers crashed repeatedly on it, so it was set aside. Support has to look into it before it continues.',
    forUser: 'function_failed',
    forOperator:
      'Workers crashed whenever they worked on this. Find out why in their logs; once that is fixed, resume the link, or repeat the action.',
    forAgent: { title: 'Paused after repeated crashes', advice: 'Ask your operator to find out why, then resume.' },
    guide: 'watch-it.md',
  },
  sealed_unreadable: {
    whoseMove: 'operator',
    title: 'A stored secret cannot be decrypted',
    advice:
      'The encryption key it was sealed with is missing, or the stored value was changed. The operator of this deployment has to restore the key or the database.',
    forUser: 'function_failed',
    forOperator:
      'The stored grant does not decrypt. Restore the key in ENCRYPTION_KEYS, or the row, and resume the link; otherwise the user has to start again.',
    forAgent: {
      title: 'A stored secret can’t be read',
      advice: 'Ask your operator to restore it, then resume. Otherwise the user has to start again.',
    },
    guide: 'rotate-encryption-keys.md',
  },
  function_failed: {
    whoseMove: 'support',
    title: 'The function did not start',
    advice: 'Support has to look into it. The grant is stored safely until then.',
    forUser: {
      title: 'The connection couldn’t be set up',
      advice:
        'You don’t need to do anything: your permission is stored safely while we look into it. If {tenant} still can’t use it tomorrow, please contact them.',
    },
    forOperator: 'The grant is stored. Find out on the platform why the function does not start, and resume the link.',
    forAgent: 'What the user allowed is stored. Ask your operator why the function does not start, then resume.',
    guide: 'watch-it.md',
    whenFinal: 'park',
  },
} as const satisfies Record<string, CauseEntry>
