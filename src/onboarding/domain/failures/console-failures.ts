import type { FailureEntry } from './failure-entry.ts'

export const consoleFailures = {
  origin_foreign: {
    status: 403,
    title: 'Request from another site',
    whoseMove: 'user',
    explanation:
      'A form was sent from another site. People see this if a page of another site tried to act in their name.',
    forSupport: {
      title: 'This request came from another site',
      advice: 'Go back to the page you came from and start again.',
    },
    forUser: {
      title: 'This request came from another site',
      detail: 'It wasn’t sent from our page.',
      advice: 'Go back to the app you came from and try again.',
    },
  },
  form_repeated: {
    status: 409,
    title: 'Form already sent',
    whoseMove: 'support',
    explanation:
      'A form of the support console was sent twice, for example by a reload or a double click. Its result, such as an API key, is shown once, and the second submission did nothing.',
    forSupport: {
      title: 'This form was already sent',
      advice: 'Secrets and links are shown once. If you missed one, rotate or remove it, then send the form again.',
    },
  },
  console_off: {
    status: 404,
    title: 'Support console is off',
    whoseMove: 'operator',
    explanation:
      'This installation has no support console: neither `CONSOLE_CLIENT_ID` nor `CONSOLE_CLIENT_SECRET` nor `CONSOLE_ISSUER` is set, so signing in is not possible.',
    forSupport: {
      title: 'The support console is not set up',
      advice: 'Ask the administrator of this installation to turn it on.',
    },
  },
  sign_in_needed: {
    status: 401,
    title: 'Sign-in required',
    whoseMove: 'support',
    explanation:
      'The session in the support console has ended: it was idle for 15 minutes or open for eight hours, the user signed out everywhere, or the account lost its role. Sign in again; nothing was changed.',
    forSupport: { title: 'Please sign in again', advice: 'Nothing was changed. Sign in, then try again.' },
  },
  sign_in_failed: {
    status: 403,
    title: 'Sign-in failed',
    whoseMove: 'support',
    explanation:
      'Signing in to the support console failed: it was cancelled, took longer than ten minutes, or the response did not belong to the request. Start again.',
    forSupport: { title: 'Sign-in failed', advice: 'Start again from the sign-in page.' },
  },
  sign_in_unavailable: {
    status: 502,
    title: 'Sign-in service unavailable',
    whoseMove: 'operator',
    explanation:
      'The issuer that the support console signs people in at (`CONSOLE_ISSUER`) cannot be reached, or sends no metadata that we can use. The detail says which.',
    forSupport: {
      title: 'The sign-in service can’t be reached',
      advice:
        'Try again in a minute. If this continues, send the message above to the administrator of this installation.',
    },
  },
  sign_in_stale: {
    status: 403,
    title: 'Recent sign-in required',
    whoseMove: 'support',
    explanation: 'Changes need a sign-in within the last 15 minutes. Sign in again, then retry.',
    forSupport: { title: 'Please confirm it’s you', advice: 'Nothing was changed. Sign in again, then retry.' },
  },
  sign_in_time_unknown: {
    status: 403,
    title: 'Sign-in time unknown',
    whoseMove: 'operator',
    explanation:
      "Changes need a sign-in within the last 15 minutes, and the console's issuer does not say when that was: its identity tokens lack `auth_time`. Configure the issuer to send it, then sign in again.",
    forSupport: {
      title: 'Changes are turned off',
      advice:
        'Nothing was changed, and signing in again won’t help. Tell the administrator of this installation that the sign-in service has to send auth_time in its identity tokens.',
    },
  },
  role_missing: {
    status: 403,
    title: 'Permission denied',
    whoseMove: 'operator',
    explanation: 'The account may not do this in the support console: it has no role there, or one that is read-only.',
    forSupport: {
      title: 'You don’t have permission',
      advice: 'Ask a colleague with another role, or ask the administrator for one.',
    },
  },
} as const satisfies Record<string, FailureEntry>
