import type { FailureEntry } from './failure-entry.ts'

export const linkingFailures = {
  session_started: {
    status: 409,
    title: 'Session already started',
    whoseMove: 'tenant',
    explanation: 'The connect session was started, so it can no longer be cancelled. Read its link instead.',
    forSupport: {
      title: 'This link is already in use',
      advice: 'Nothing was changed. The user has started: open the connection again to see how far they got.',
    },
  },
  integration_unavailable: {
    status: 409,
    title: 'Integration unavailable',
    whoseMove: 'operator',
    explanation: 'Neither the deployment nor the tenant has an OAuth client for this integration. Configure one.',
    forSupport: {
      title: 'This integration isn’t configured',
      advice: 'Restore the integration or its OAuth client, then try again.',
    },
    forUser: {
      title: 'This app can’t be connected right now',
      detail: 'It isn’t available here at the moment. Nothing was changed.',
      advice:
        'Please contact the team that sent you here, and give them the request ID below. Try again once it’s fixed.',
    },
  },
  connect_ended: {
    status: 410,
    title: 'Connect link expired',
    whoseMove: 'user',
    explanation:
      'The connect URL was used, has expired, was cancelled, or never existed. The user starts again from the application they came from.',
    forUser: {
      title: 'This link doesn’t work',
      detail: 'The address may be incomplete.',
      advice: 'Open the link again from where you got it, or ask for a new one.',
    },
  },
  callback_malformed: {
    status: 400,
    title: 'Malformed callback',
    whoseMove: 'user',
    explanation:
      "A provider's response has repeated, missing or forbidden parameters. The user starts again; if it happens again, look into the provider.",
    forUser: {
      title: 'Something went wrong between the app and us',
      detail: 'Nothing was connected.',
      advice: 'Go back to the app you came from and try again.',
    },
  },
  callback_unknown: {
    status: 410,
    title: 'Unknown callback',
    whoseMove: 'user',
    explanation: 'The OAuth state was used, has expired, or is unknown. The user starts again.',
    forUser: {
      title: 'This request has expired',
      detail: 'It was already used, has expired, or was never started here.',
      advice: 'Go back to the app you came from and try again.',
    },
  },
  callback_foreign: {
    status: 403,
    title: 'Callback of another browser',
    whoseMove: 'user',
    explanation:
      'The response arrived in a different browser than the one that started, or from a different provider than the one that was asked. The audit says which.',
    forUser: {
      title: 'This response belongs to another browser',
      detail: 'You started in another browser.',
      advice: 'Go back to the app you came from and try again.',
    },
  },
  completion_early: {
    status: 409,
    title: 'Completed too early',
    whoseMove: 'user',
    explanation: 'The browser has not returned yet. Complete the session when it does.',
  },
  completion_refused: {
    status: 400,
    title: 'Wrong completion',
    whoseMove: 'tenant',
    explanation: 'The completion code or the verifier is wrong. After five wrong attempts the link is void.',
  },
  completion_used: {
    status: 409,
    title: 'Already completed',
    whoseMove: 'tenant',
    explanation: 'The link was already completed. Read it to see the outcome.',
  },
  completion_late: {
    status: 410,
    title: 'Completed too late',
    whoseMove: 'tenant',
    explanation: 'The link has ended. Read it to see why, and start a new one.',
  },
  provider_unavailable: {
    status: 502,
    title: 'Provider unavailable',
    whoseMove: 'provider',
    explanation: "The provider's metadata could not be read, so no authorization was started. Try again later.",
    forSupport: { title: 'The app isn’t responding', advice: 'Nothing was connected. Try again in a few minutes.' },
    forUser: {
      title: 'The app isn’t responding',
      detail: 'It may be down or very busy. Nothing was connected.',
      advice: 'Try again in a few minutes.',
    },
  },
  provider_unusable: {
    status: 502,
    title: 'Provider unusable',
    whoseMove: 'provider',
    explanation:
      "The provider's OAuth metadata cannot be used, so no authorization was started. Trying again does not help; `cause` of the connect session and the audit name the problem.",
    forSupport: {
      title: 'The app’s sign-in details can’t be used',
      advice: 'Nothing was connected. Only the app can correct them; the audit log names the problem.',
    },
    forUser: {
      title: 'This app can’t be connected right now',
      detail: 'It publishes sign-in details that we can’t use safely. Nothing was connected.',
      advice: 'Trying again won’t help. Please contact the team that sent you here.',
    },
  },
  backlog_full: {
    status: 503,
    title: 'Too many waiting links',
    whoseMove: 'platform',
    explanation:
      'The tenant has too many links waiting for the platform. New ones are accepted when those are done; `Retry-After` is an estimate.',
    forSupport: { title: 'Too many requests are waiting', advice: 'Nothing was lost. Try again in a few minutes.' },
  },
  connection_limit: {
    status: 409,
    title: 'Too many connections',
    whoseMove: 'user',
    explanation:
      'The user has as many connections to this integration as the tenant allows (`maxConnectionsPerUser`). Disconnect one, or create the session with `ifConnected: relink` to renew one of them.',
    forUser: {
      title: 'You can’t connect another account',
      detail: 'You’ve reached the limit of accounts for this app. Nothing was changed.',
      advice: 'Disconnect one of them in the app you came from, then try again.',
    },
  },
  alias_taken: {
    status: 409,
    title: 'Alias taken',
    whoseMove: 'tenant',
    explanation:
      'Another connection of the same user to the same integration has this alias. Re-link or rename that one, or choose another alias. Disconnecting a connection frees its alias.',
  },
  link_not_resumable: {
    status: 409,
    title: 'Link cannot be resumed',
    whoseMove: 'tenant',
    explanation:
      'The link neither needs attention nor waits for a retry: it has ended, waits for the user, or is being processed right now.',
    forSupport: { title: 'Nothing to resume', advice: 'Open the link again: it may be running already.' },
  },
  link_not_endable: {
    status: 409,
    title: 'Link cannot be ended',
    whoseMove: 'support',
    explanation:
      'The link does not need attention, or its grant may be the one in use. Only support ends a link, in the console.',
    forSupport: {
      title: 'This link can’t be ended',
      advice: 'Nothing was changed. Open the link again: it may have moved on.',
    },
  },
} as const satisfies Record<string, FailureEntry>
