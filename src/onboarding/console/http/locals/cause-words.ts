// Causes as support reads them.
import { type Cause, causes, type WhoseMove } from '../../../domain/cause.ts'

export const actorNames: Record<WhoseMove, string> = {
  user: 'User',
  tenant: 'Tenant',
  support: 'Support',
  operator: 'Operator',
  provider: 'App',
  platform: 'Platform',
}

/** The causes' own advice tells others to wait for support; support needs to know what to do. */
const supportAdvice: Partial<Record<Cause, string>> = {
  answer_unreadable:
    'The response may contain a grant and is stored sealed. If a newer release or a corrected profile can read it, resume the link. Otherwise ask the user to remove the access in their account at the app, end the link, and let them start again.',
  relink_rolled_back:
    'The previous grant was restored. Find out why the function rejected the new one before the user tries again.',
  platform_refused: 'The grant is stored. Find out what the platform rejected, fix it, and resume the link.',
  platform_misconfigured:
    'The audit of the link and System status say what is wrong: PLATFORM_API_KEY, PLATFORM_URL or the certificate. Links continue by themselves once the operator has corrected it.',
  address_blocked:
    'The app was never asked. `causeway doctor` says which address it is; of an MCP server it may be the platform that does not call it (MCP_EGRESS_ALLOW). Once the operator has allowed or corrected it, resume links that need attention; after a failed link, the user has to start again.',
  name_taken:
    'A resource that Causeway did not create has this name. Rename or remove it on the platform, and resume the link.',
  integration_removed:
    'Restore the integration or its OAuth client. Then resume links that need attention; after a failed link, the user has to start again.',
  worker_crashed:
    'Workers crashed whenever they worked on this. Find out why in their logs; once that is fixed, resume the link, or repeat the action.',
  sealed_unreadable:
    'The stored grant does not decrypt. Restore the key in ENCRYPTION_KEYS, or the row, and resume the link; otherwise the user has to start again.',
  function_failed:
    'The grant is stored. Find out on the platform why the function does not start, and resume the link.',
}

export const causeWords = (cause: Cause) => ({
  code: cause,
  title: causes[cause].title,
  // Marks of code are for the API's readers; a page would show them as they are.
  advice: (supportAdvice[cause] ?? causes[cause].advice).replaceAll('`', ''),
  actionFrom: actorNames[causes[cause].whoseMove],
  isForOperator: causes[cause].whoseMove === 'operator',
  // Support sees to it that the operator acts, and resumes what waits for it.
  isForSupport: ['support', 'operator'].includes(causes[cause].whoseMove),
})

export const causeChoices = (Object.keys(causes) as Cause[]).map((code) => ({ code, title: causes[code].title }))
