// After the app: the platform, this deployment and its workers.
export const platformCauses = {
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
  address_blocked: {
    whoseMove: 'operator',
    title: 'This deployment does not call the address of the app',
    advice:
      'The address is private or has no TLS, and is not in `EGRESS_ALLOW`, so the app was never asked. The operator of this deployment has to add its `host:port` there and restart, or correct the address in the profile. Grants are stored safely until then.',
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
} as const
