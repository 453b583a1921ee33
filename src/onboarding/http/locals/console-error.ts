import { pageOfConsole } from '../../domain/console.ts'
import type { Failure, FailureCode } from '../../domain/failure.ts'
import { statuses } from '../problem.ts'

type Words = { title: string; advice: string }

/** In English, as the whole console. */
const words: Partial<Record<FailureCode, Words>> = {
  origin_foreign: {
    title: 'This request came from another site',
    advice: 'Go back to the page you came from and start again.',
  },
  console_off: {
    title: 'The support console is not set up',
    advice: 'Ask the administrator of this installation to turn it on.',
  },
  sign_in_needed: { title: 'Please sign in again', advice: 'Nothing was changed. Sign in, then try again.' },
  sign_in_failed: { title: 'Sign-in failed', advice: 'Start again from the sign-in page.' },
  sign_in_stale: { title: 'Please confirm it’s you', advice: 'Nothing was changed. Sign in again, then retry.' },
  sign_in_time_unknown: {
    title: 'Changes are turned off',
    advice:
      'Nothing was changed, and signing in again won’t help. Tell the administrator of this installation that the sign-in service has to send auth_time in its identity tokens.',
  },
  role_missing: {
    title: 'You don’t have permission',
    advice: 'Ask a colleague with another role, or ask the administrator for one.',
  },
  body_unreadable: {
    title: 'Your request didn’t arrive complete',
    advice: 'Nothing was changed. Go back and send it again.',
  },
  body_too_large: {
    title: 'Your request is too large',
    advice: 'Nothing was changed. Go back, shorten your text and send it again.',
  },
  content_type_unsupported: {
    title: 'We can’t read this request',
    advice: 'Nothing was changed. Go back, reload the page and send its form.',
  },
  method_not_allowed: {
    title: 'This isn’t supported here',
    advice: 'Nothing was changed. Open the page in a browser and use its forms.',
  },
  input_invalid: { title: 'Something is missing or invalid', advice: 'Go back, correct it and send it again.' },
  not_found: { title: 'Page not found', advice: 'Check the address, or go back to the previous page.' },
  sign_in_unavailable: {
    title: 'The sign-in service can’t be reached',
    advice:
      'Try again in a minute. If it stays like this, tell the administrator of this installation what it says above.',
  },
  provider_unavailable: {
    title: 'The app isn’t responding',
    advice: 'Nothing was connected. Try again in a few minutes.',
  },
  platform_unavailable: {
    title: 'The function isn’t responding',
    advice: 'Nothing was changed. Try again in a minute.',
  },
  integration_unavailable: {
    title: 'This integration isn’t configured',
    advice: 'Restore the integration or its OAuth client, then try again.',
  },
  connection_busy: { title: 'Another change is in progress', advice: 'Nothing was changed. Try again in a minute.' },
  connection_disconnected: {
    title: 'This connection was removed',
    advice: 'The user has to connect the account again from the tenant’s app.',
  },
  tool_list_outdated: {
    title: 'The tools have changed again',
    advice: 'Nothing was approved. Review the change as it is now, then approve it.',
  },
  session_started: {
    title: 'This link is already in use',
    advice: 'Nothing was changed. The user has started: open the connection again to see how far they got.',
  },
  link_not_resumable: { title: 'Nothing to resume', advice: 'Open the link again: it may be running already.' },
  link_not_endable: {
    title: 'This link can’t be ended',
    advice: 'Nothing was changed. Open the link again: it may have moved on.',
  },
  rollback_impossible: { title: 'Can’t roll back', advice: 'Create a reconnect link for the user instead.' },
  campaign_empty: {
    title: 'No connections to include',
    advice: 'Choose another cause. If a campaign’s links were lost, cancel that campaign first.',
  },
  workspace_unknown: {
    title: 'The platform has no such workspace',
    advice:
      'Nothing was saved. Check the name. If it’s right, the operator has to create the workspace on the platform and give our key (PLATFORM_API_KEY) access to it. Then send the form again.',
  },
  webhook_disabled: {
    title: 'The webhook endpoint is disabled',
    advice:
      'Nothing was sent. Once the tenant has fixed the endpoint, an admin can enable it on the tenant’s page, or the tenant by API.',
  },
  backlog_full: { title: 'Too many requests are waiting', advice: 'Nothing was lost. Try again in a few minutes.' },
  rate_limited: { title: 'Too many attempts', advice: 'Wait a minute, then try again.' },
  store_unavailable: { title: 'We’re having a problem', advice: 'Nothing was lost. Try again in a minute.' },
}

const unexpected: Words = {
  title: 'Something went wrong',
  advice: 'Try again. If it keeps happening, contact support with the request ID below.',
}

/** For codes that only API clients should get. */
const rejected: Words = {
  title: 'This request was rejected',
  advice: 'Nothing was changed. Go back to the previous page.',
}

/** How long a limit lasts is known only when somebody meets it. */
function wordsOf({ code, more: { retryAfterSeconds = 0 } }: Failure): Words | undefined {
  const said = words[code]
  if (!said || code !== 'rate_limited' || retryAfterSeconds <= 60) return said
  return { ...said, advice: `Wait ${Math.ceil(retryAfterSeconds / 60)} minutes, then try again.` }
}

/** The same above a form that comes back: there is no page to go back to. */
export function refusedFormWords(failure: Failure) {
  const { code, detail, more } = failure
  // What a field names and is not there is a mistake in the form, as any other.
  const said = code === 'input_invalid' || code === 'not_found' ? undefined : wordsOf(failure)
  return {
    title: said?.title ?? 'Something is missing or invalid',
    // What is wrong with fields is said of each of them.
    detail: more.errors ? undefined : detail,
    advice: said?.advice ?? 'Nothing was changed. Correct the form and send it again.',
  }
}

/** `path`: the request's path and query. */
export function consoleErrorLocals(failure: Failure, requestId: string, path: string) {
  const { code, detail, more } = failure
  const { title, advice } = wordsOf(failure) ?? (statuses[code] < 500 ? rejected : unexpected)
  const faults = (more.errors ?? []).map(({ pointer, detail }) => `${pointer.slice(1) || 'form'}: ${detail}`)
  return { title, detail, advice, faults, nextPage: nextPage(code, path), requestId }
}

/** `path`: the request's path and query. */
export const isConsole = (path: string) => /^\/support(?:[/?]|$)/.test(path)

function nextPage(code: FailureCode, path: string): { href: string; label: string } | undefined {
  if (code === 'console_off') return undefined
  if (code === 'sign_in_needed' || code === 'sign_in_failed') return signInLink('/support/sign-in?', path)
  if (code === 'sign_in_stale') return signInLink('/support/sign-in/start?again&', path)
  return { href: '/support', label: 'Go to overview' }
}

const signInLink = (address: string, path: string) => ({
  href: `${address}next=${encodeURIComponent(pageOfConsole(pageOfForm(path)))}`,
  label: 'Sign in',
})

/** An action's path is below its page's. Returns undefined if the page is not known: the overview is shown then. */
const pageOfForm = (path: string): string | undefined =>
  /^\/support\/(?:(?:connections|links)\/[^/?]+|webhooks\/[^/?]+\/[^/?]+|doctor\/[^/?]+|campaigns(?:\/cmp_[^/?]+)?)/.exec(
    path,
  )?.[0]
