import { pageOfConsole } from '../../domain/console.ts'
import type { Failure, FailureCode } from '../../domain/failure.ts'
import { statuses } from '../problem.ts'

type Words = { title: string; advice: string }

const startAgain = 'Go back to the application you came from and start again.'

const words: Partial<Record<FailureCode, Words>> = {
  connect_ended: {
    title: 'This link has ended',
    advice:
      'Go back to the application you came from and start again, or ask whoever sent you this address for a new one.',
  },
  callback_unknown: { title: 'This authorization has ended', advice: startAgain },
  callback_malformed: { title: 'The app sent an answer we cannot read', advice: startAgain },
  callback_foreign: { title: 'This answer is not for this browser', advice: startAgain },
  origin_foreign: { title: 'This request came from another site', advice: startAgain },
  console_off: { title: 'There is no support console here', advice: 'Ask whoever runs this installation.' },
  sign_in_needed: { title: 'Please sign in again', advice: 'Nothing was changed. Sign in, then do it once more.' },
  sign_in_failed: { title: 'You are not signed in', advice: 'Start again from the sign-in page.' },
  sign_in_stale: { title: 'Please prove that it is you', advice: 'Sign in again, then do it once more.' },
  sign_in_time_unknown: {
    title: 'Nothing can be changed from here',
    advice:
      'Nothing was changed, and signing in again does not help. Tell whoever runs this installation: the sign-in service has to send auth_time in its identity tokens.',
  },
  role_missing: {
    title: 'This is not yours to do',
    advice: 'Ask a colleague with another role, or whoever gives roles.',
  },
  body_unreadable: {
    title: 'What you sent did not arrive whole',
    advice: 'Nothing was changed. Go back and send it again.',
  },
  body_too_large: {
    title: 'That is more than we can take',
    advice: 'Nothing was changed. Go back, shorten what you wrote, and send it again.',
  },
  content_type_unsupported: {
    title: 'We cannot read what you sent',
    advice: 'Nothing was changed. Go back, load the page anew, and send its form.',
  },
  method_not_allowed: {
    title: 'This cannot be done here',
    advice: 'Nothing was changed. Open the page in a browser, and use what it offers.',
  },
  input_invalid: { title: 'Something is missing or wrong', advice: 'Go back, correct it and send it again.' },
  not_found: { title: 'There is nothing here', advice: 'Check the address, or go back to where you came from.' },
  provider_unavailable: { title: 'The app does not answer', advice: 'Nothing was linked. Try again in a few minutes.' },
  platform_unavailable: {
    title: 'The function does not answer',
    advice: 'Nothing was changed. Try again in a minute.',
  },
  integration_unavailable: {
    title: 'This app cannot be linked right now',
    advice:
      'There is nothing you can do here, and nothing was changed. Tell whoever sent you here, with the request id below: once they have mended it, start again from there.',
  },
  connection_busy: { title: 'Somebody is at it already', advice: 'Nothing was changed. Try again in a minute.' },
  connection_disconnected: {
    title: 'This connection is no more',
    advice: 'The user links the account anew, from the application of the tenant.',
  },
  session_started: {
    title: 'It is in use already',
    advice: 'Nothing was changed. Open the connection again: the user has started, and its links say how far they got.',
  },
  link_not_resumable: { title: 'There is nothing to resume', advice: 'Open the link again: it may be on its way.' },
  rollback_impossible: { title: 'There is no way back', advice: 'Mint a re-link address for the user instead.' },
  campaign_empty: {
    title: 'Nobody to ask',
    advice: 'Choose another cause. If their addresses are out and were lost, cancel the campaign that minted them.',
  },
  webhook_disabled: {
    title: 'Its receiver is disabled',
    advice: 'Nothing was sent. The tenant enables the webhook by API when its receiver is mended.',
  },
  backlog_full: { title: 'Too much is waiting already', advice: 'Nothing was lost. Try again in a few minutes.' },
  rate_limited: { title: 'Too many tries', advice: 'Wait a minute, then try again.' },
  store_unavailable: { title: 'We cannot go on right now', advice: 'Nothing was lost. Try again in a minute.' },
}

/** Where support can do what others have to wait for. */
const consoleWords: Partial<Record<FailureCode, Words>> = {
  integration_unavailable: {
    title: 'This integration cannot be linked here',
    advice: 'Put the integration or its OAuth client back, then do it once more.',
  },
}

const unexpected: Words = {
  title: 'Something went wrong on our side',
  advice: 'Try again. If it happens again, tell support the request id below.',
}

/** For codes that only programs should meet: it is still not our fault. */
const refused: Words = {
  title: 'This was refused',
  advice: 'Nothing was changed. Go back to where you came from.',
}

/** `at` is where it happened: who was in the console wants to go on there. */
export function errorLocals({ code, detail, more }: Failure, requestId: string, at: string) {
  const { title, advice } =
    (isConsole(at) && consoleWords[code]) || words[code] || (statuses[code] < 500 ? refused : unexpected)
  const faults = (more.errors ?? []).map(({ pointer, detail }) => `${pointer.slice(1) || 'form'}: ${detail}`)
  return { title, detail, advice, faults, wayOn: wayOn(code, at), requestId }
}

const isConsole = (at: string) => /^\/support(?:[/?]|$)/.test(at)

/** For pages of the console: users of other pages go back to the application they came from. */
function wayOn(code: FailureCode, at: string): { href: string; label: string } | undefined {
  if (!isConsole(at) || code === 'console_off') return undefined
  if (code === 'sign_in_needed' || code === 'sign_in_failed') return toSignIn('/support/sign-in?', at)
  if (code === 'sign_in_stale') return toSignIn('/support/sign-in/start?again&', at)
  return { href: '/support', label: 'To the overview' }
}

const toSignIn = (address: string, at: string) => ({
  href: `${address}next=${encodeURIComponent(pageOfConsole(pageOfForm(at)))}`,
  label: 'Sign in',
})

/** A deed has an address below its page's. Where no page is known by it, the overview is a good place to go on. */
const pageOfForm = (at: string): string | undefined =>
  /^\/support\/(?:(?:connections|links)\/[^/?]+|webhooks\/[^/?]+\/[^/?]+|campaigns(?:\/cmp_[^/?]+)?)/.exec(at)?.[0]
