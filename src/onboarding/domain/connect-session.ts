import { type Cause, isUsersMove } from './cause.ts'
import type { IfConnected } from './end-users/if-connected.ts'
import { Failure, type FailureDetails } from './failure.ts'
import { type Config, type EndUser, isEnded, type Link, type LinkState, linkStates } from './link.ts'
import type { ConnectionNames } from './linking/connection-names.ts'
import type { TestOutcome } from './test-mode/test-mode.ts'

export type ConnectSession = ConnectionNames & {
  id: string
  tenant: string
  integration: string | undefined
  choices: string[] | undefined
  endUser: EndUser
  returnUrl: string | undefined
  connectionId: string | undefined
  allowOtherAccount: boolean
  /** Re-links a connection with a known account, and accepts only that account. */
  isPinned: boolean
  ifConnected: IfConnected
  completionChallenge: string | undefined
  inputs: Config
  /** Requested instead of those of the integration; of a re-link, in addition. */
  scopes?: string[] | undefined
  /** Test mode: result of the built-in provider. Undefined: the user chooses. */
  testOutcome?: TestOutcome | undefined
  expiresAt: Date
  expired: boolean
  cancelledAt: Date | undefined
  /** Why the user was not sent to the provider, at the latest attempt. */
  cause: Cause | undefined
  createdAt: Date
  linkId: string | undefined
}

export type ChosenSession = ConnectSession & { integration: string }

export const purposes = ['link', 'relink'] as const

export const purposeOf = (relink: boolean): (typeof purposes)[number] => (relink ? 'relink' : 'link')

/** The page of a known session says why (`endedSession`). */
export const connectEnded = (more: FailureDetails = {}) =>
  new Failure('connect_ended', 'It was already used, has expired, or was cancelled.', more)

/** For the audit only. The browser that started the link may start again until it returns from the provider. */
export function startRefusal(
  session: ConnectSession | undefined,
  link: Pick<Link, 'state' | 'browser' | 'cause'> | undefined,
  browsers: readonly string[],
): 'token_unknown' | 'token_withdrawn' | 'token_used' | 'token_expired' | undefined {
  if (!session) return 'token_unknown'
  if (session.cancelledAt) return 'token_withdrawn'
  const isOwn = link !== undefined && browsers.includes(link.browser)
  const mayGoOn = isOwn && (link.state === 'authorizing' || mayTryAgain(link))
  if (link && !mayStartAgain(session, link) && !mayGoOn) return 'token_used'
  return session.expired ? 'token_expired' : undefined
}

/** A pinned session accepts one account, so it may restart anywhere. Others could link another person's account. */
export const mayStartAgain = (
  { isPinned }: Pick<ConnectSession, 'isPinned'>,
  { state }: Pick<Link, 'state'>,
): boolean => isPinned && startsAgainFrom.includes(state)

export const mayTryAgain = ({ state, cause }: Pick<Link, 'state' | 'cause'>): boolean =>
  triedAgainFrom.includes(state) && cause !== undefined && isUsersMove(cause)

const triedAgainFrom: readonly LinkState[] = ['failed', 'denied', 'cancelled']

export const startsAgainFrom = linkStates.filter((state) => isEnded(state) && state !== 'linked')

type SessionStatus = 'open' | 'started' | 'expired' | 'cancelled'

export function sessionStatus(session: ConnectSession): SessionStatus {
  if (session.cancelledAt) return 'cancelled'
  if (session.linkId) return 'started'
  return session.expired ? 'expired' : 'open'
}

/** More wrong verifiers look like guessing and void the link. */
export const maxWrongCompletions = 5

export function completionRefusal(state: LinkState | undefined): Failure | undefined {
  switch (state) {
    case 'code_waiting':
      return undefined
    case undefined:
    case 'authorizing':
      return new Failure('completion_early', 'The browser has not come back from the app yet.')
    case 'cancelled':
    case 'denied':
    case 'abandoned':
    case 'failed':
      return new Failure('completion_late', 'This link has ended. Read it to see why, and start a new one.')
    default:
      return completionUsed()
  }
}

export const completionUsed = () =>
  new Failure('completion_used', 'This link was already completed. Read it to see how it went.')
