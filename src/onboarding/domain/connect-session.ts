import { isUsersMove } from './cause.ts'
import type { IfConnected } from './end-users/if-connected.ts'
import { Failure, type FailureDetails } from './failure.ts'
import { type Config, type EndUser, isEnded, type Link, type LinkState, linkStates } from './link.ts'
import type { TestOutcome } from './test-mode/test-mode.ts'

/** A short-lived permission for one browser to link an integration to one tenant. */
export type ConnectSession = {
  id: string
  tenant: string
  /** Undefined until the user has started one of the choices. */
  integration: string | undefined
  /** The integrations that the user picks one of; none named: all that the tenant may use. */
  choices: string[] | undefined
  endUser: EndUser
  /** None: the browser ends on a page of ours. */
  returnUrl: string | undefined
  /** The connection to re-link; without one, a new connection is made. */
  connectionId: string | undefined
  allowOtherAccount: boolean
  /** It re-links a connection whose account is known, and only that account will do. */
  isPinned: boolean
  /** What becomes of the link when its user has connected the same account before. */
  ifConnected: IfConnected
  completionChallenge: string | undefined
  /** What the tenant said in the place of its user, by the names of the profile. */
  inputs: Config
  /** In test mode: what the built-in provider does; without one, it asks the user. */
  testOutcome?: TestOutcome | undefined
  expiresAt: Date
  /** By the store's clock, when it was read: the clocks of several processes never agree. */
  expired: boolean
  cancelledAt: Date | undefined
  createdAt: Date
  linkId: string | undefined
}

/** A session for an integration that is known. */
export type ChosenSession = ConnectSession & { integration: string }

export const purposes = ['link', 'relink'] as const

/** What a session or a link is for: a new connection, or a new grant for one that is there. */
export const purposeOf = (relink: boolean): (typeof purposes)[number] => (relink ? 'relink' : 'link')

/** Unknown, expired, cancelled and used read the same, so that guessing teaches nothing. */
export const connectEnded = (more: FailureDetails = {}) =>
  new Failure('connect_ended', 'It was already used, has expired, or was cancelled.', more)

/**
 * Why a visitor may not go on, for the record only. Back from the provider's page and once more is fine, for the
 * browser that started it; any other, or one that came back already, finds the link used.
 */
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

/**
 * A link to mend a connection waits in a mailbox for days: who said no by mistake, or was called away, may try again, in
 * any browser. It is pinned to one account, so a second start gives nobody more than the first. One that is not starts
 * once, and again only in the browser that started it: in another one, another person's account would come in.
 */
export const mayStartAgain = (
  { isPinned }: Pick<ConnectSession, 'isPinned'>,
  { state }: Pick<Link, 'state'>,
): boolean => isPinned && startsAgainFrom.includes(state)

/** Who unticked a permission, declined or cancelled by mistake may do better, in the same browser and while the session lasts. */
export const mayTryAgain = ({ state, cause }: Pick<Link, 'state' | 'cause'>): boolean =>
  triedAgainFrom.includes(state) && cause !== undefined && isUsersMove(cause)

const triedAgainFrom: readonly LinkState[] = ['failed', 'denied', 'cancelled']

/** How a link ended that did not do its work. */
export const startsAgainFrom = linkStates.filter((state) => isEnded(state) && state !== 'linked')

export type SessionStatus = 'open' | 'started' | 'expired' | 'cancelled'

export function sessionStatus(session: ConnectSession): SessionStatus {
  if (session.cancelledAt) return 'cancelled'
  if (session.linkId) return 'started'
  return session.expired ? 'expired' : 'open'
}

/** After this many wrong verifiers the link is void: they are being guessed. */
export const mostWrongCompletions = 5

/** Returns why a link in this state cannot be completed, or undefined if it can. */
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
