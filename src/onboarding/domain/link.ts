// A link is one attempt to get a grant and put it to work. Its states and the moves between them are this table.
import { type Cause, isUsersMove } from './cause.ts'
import type { IfConnected } from './end-users/if-connected.ts'

const moves = {
  authorizing: ['authorizing', 'code_waiting', 'exchanging', 'cancelled', 'denied', 'abandoned', 'failed'],
  code_waiting: ['exchanging', 'abandoned', 'failed'],
  exchanging: ['escrowed', 'exchange_unknown', 'failed'],
  // Straight on when both requests to the platform go well at once.
  escrowed: [
    'connection_ready',
    'function_ready',
    'linked',
    'testing',
    'authorizing',
    'revoking',
    'failed',
    'needs_attention',
  ],
  // A grant that is in use elsewhere is tried before it goes on: of a re-link, because it takes the place of another
  // one, and of an import, which has nothing but a refresh token.
  testing: [
    'tested',
    'connection_ready',
    'function_ready',
    'linked',
    'escrowed',
    'revoking',
    'failed',
    'needs_attention',
  ],
  tested: ['connection_ready', 'failed', 'needs_attention'],
  connection_ready: ['function_ready', 'linked', 'rolling_back', 'revoking', 'failed', 'needs_attention'],
  function_ready: ['linked', 'verified', 'rolling_back', 'revoking', 'failed', 'needs_attention'],
  verified: ['linked', 'failed', 'needs_attention'],
  rolling_back: ['failed', 'needs_attention'],
  // It has failed, or nobody put it to work in time: what was granted is revoked.
  revoking: ['failed', 'needs_attention'],
  needs_attention: [
    'escrowed',
    'testing',
    'tested',
    'connection_ready',
    'function_ready',
    'verified',
    'rolling_back',
    'revoking',
    'failed',
  ],
  linked: [],
  // The user chose Cancel on our page; `denied` is what they said at the provider.
  cancelled: [],
  denied: [],
  abandoned: [],
  failed: [],
  exchange_unknown: [],
} as const satisfies Record<string, readonly string[]>

export type LinkState = keyof typeof moves

export const linkStates = Object.keys(moves) as [LinkState, ...LinkState[]]

/** States that a worker carries on from, without the user. */
export const provisioningStates = [
  'escrowed',
  'testing',
  'tested',
  'connection_ready',
  'function_ready',
  'verified',
  'rolling_back',
  'revoking',
] as const
export type ProvisioningState = (typeof provisioningStates)[number]

export const isProvisioning = (state: LinkState): state is ProvisioningState =>
  (provisioningStates as readonly string[]).includes(state)

/** A link in one of these is at work on its connection; one that waits for a person locks nothing meanwhile. */
export const lockingStates = ['exchanging', ...provisioningStates] as const satisfies LinkState[]

/** The user has consented, and what was granted is to be put to work. */
export const consentedStates = [
  'code_waiting',
  'exchanging',
  'escrowed',
  'testing',
  'tested',
  'connection_ready',
  'function_ready',
  'verified',
  'needs_attention',
] as const satisfies LinkState[]

/** The grant of a first link waits for the platform to take it. */
export const backlogStates = ['escrowed', 'connection_ready', 'function_ready'] as const satisfies LinkState[]

/** What was granted is in escrow or on the platform. */
export const hasGrant = (state: LinkState): boolean => isProvisioning(state) || state === 'linked'

export const isEnded = (state: LinkState): boolean => moves[state].length === 0

export const mayMove = (from: LinkState, to: LinkState): boolean => (moves[from] as readonly string[]).includes(to)

/** In which a link waits for a person, and has no grant. */
export const waitingStates = linkStates.filter((state) => mayMove(state, 'abandoned'))

/** What callers see of a state. */
export const linkStatuses = [
  'pending',
  'linked',
  'cancelled',
  'denied',
  'abandoned',
  'failed',
  'needs_attention',
] as const
export type LinkStatus = (typeof linkStatuses)[number]

export function statusOf(state: LinkState): LinkStatus {
  switch (state) {
    case 'linked':
    case 'cancelled':
    case 'denied':
    case 'abandoned':
    case 'failed':
    case 'needs_attention':
      return state
    case 'exchange_unknown':
    case 'revoking':
      return 'failed'
    default:
      return 'pending'
  }
}

/** The states that a caller sees as this status. */
export const statesOf = (status: LinkStatus): LinkState[] => linkStates.filter((state) => statusOf(state) === status)

export type EndUser = {
  id: string
  displayName?: string | undefined
  email?: string | undefined
  /** The language that they read our pages in, by its BCP 47 tag, if the tenant named it. */
  locale?: string | undefined
}

/** What belongs to an account and is no secret, such as its subdomain. */
export type Config = Readonly<Record<string, string>>

export type UpstreamAccount = { id: string; label: string }

export type Link = {
  id: string
  sessionId: string
  tenant: string
  workspace: string
  integration: string
  endUser: EndUser
  returnUrl: string | undefined
  /** It mends a connection that is there already. */
  relink: boolean
  /** The import that its grant came with, in the place of a consent. */
  importId: string | undefined
  allowOtherAccount: boolean
  /** Of a first link, when its user has connected the same account before. */
  ifConnected: IfConnected
  completionChallenge: string | undefined
  /** SHA-256 of the cookie of the browser that started it. */
  browser: string
  state: LinkState
  cause: Cause | undefined
  /** The step a link that needs attention can be resumed from. */
  resumeFrom: ProvisioningState | undefined
  forcedConsent: boolean
  missingScopes: string[]
  grantedScopes: string[] | undefined
  /** What was typed for it and kept from answers, by the names of the profile. */
  config: Config
  account: UpstreamAccount | undefined
  connectionId: string
  connectionName: string
  functionName: string
  functionUrl: string | undefined
  /** How many attempts at the current step have failed. */
  attempts: number
  /** When that step is tried again; undefined while a worker is at it. */
  nextAttemptAt: Date | undefined
  /** Counts who has had the link: a worker whose number is old can no longer write. */
  fence: number
  /** How often a worker took the link over, at the step it is at, from another one whose lease had run out. */
  takeovers: number
  /** The `traceparent` (W3C Trace Context) of its trace. Undefined if traces were off when it began. */
  traceparent?: string | undefined
  createdAt: Date
  updatedAt: Date
}

/** What is true of every link that was just opened. */
export const newLinkDefaults = {
  importId: undefined,
  state: 'authorizing',
  cause: undefined,
  resumeFrom: undefined,
  forcedConsent: false,
  missingScopes: [],
  grantedScopes: undefined,
  account: undefined,
  functionUrl: undefined,
  attempts: 0,
  nextAttemptAt: undefined,
  fence: 0,
  takeovers: 0,
} satisfies Partial<Link>

/**
 * The cause that user and tenant were told when the link ended for them, although the provider had not revoked yet what
 * was granted in part or in vain. Whatever stops it after that, it has ended for this. Undefined if nobody was told.
 */
export const toldCause = ({ state, resumeFrom, cause }: Pick<Link, 'state' | 'resumeFrom' | 'cause'>) =>
  (state === 'revoking' || resumeFrom === 'revoking') && cause !== undefined && isUsersMove(cause) ? cause : undefined

export const isToldEnd = (link: Pick<Link, 'state' | 'resumeFrom' | 'cause'>): boolean => toldCause(link) !== undefined

/** The provider gave no refresh token, or another account's: the user has to be asked for consent once more. */
export const needsConsentAgain = ({ state, forcedConsent }: Pick<Link, 'state' | 'forcedConsent'>): boolean =>
  state === 'authorizing' && forcedConsent

/** A second consent has a code of its own: the first one's is spent. */
export const completionRound = ({ id, forcedConsent }: Pick<Link, 'id' | 'forcedConsent'>): string =>
  forcedConsent ? `${id}:again` : id

/** Whom a link that is pending waits for: the user who consents, then the tenant who completes. */
export const awaited = ['consent', 'completion'] as const

export function awaitedBy({ state }: Pick<Link, 'state'>): (typeof awaited)[number] | undefined {
  if (state === 'authorizing') return 'consent'
  return state === 'code_waiting' ? 'completion' : undefined
}

/** Steps of a link as a person sees them, in order. */
export const linkSteps = ['consent', 'exchange', 'connection', 'function', 'verification'] as const
export type LinkStep = (typeof linkSteps)[number]

const stepsDone: Record<LinkState, number> = {
  authorizing: 0,
  code_waiting: 1,
  exchanging: 1,
  exchange_unknown: 1,
  escrowed: 2,
  testing: 2,
  tested: 2,
  connection_ready: 3,
  function_ready: 4,
  verified: 5,
  rolling_back: 4,
  revoking: 2,
  linked: 5,
  cancelled: 0,
  denied: 0,
  abandoned: 0,
  failed: 1,
  needs_attention: 2,
}

export type StepProgress = { step: LinkStep; progress: 'done' | 'current' | 'waiting' | 'failed' }

type Position = Pick<Link, 'state' | 'resumeFrom' | 'cause'>

function stepsDoneOf({ state, resumeFrom, cause }: Position): number {
  const reached = stepsDone[resumeFrom ?? state]
  // It is on the platform, and does not start: that step is not done.
  if (cause === 'function_failed') return Math.min(reached, linkSteps.indexOf('function'))
  // The user did consent; the tenant did not complete, so the code was never exchanged.
  const isUncompleted = cause === 'completion_missing' || cause === 'completion_refused'
  return isUncompleted ? linkSteps.indexOf('exchange') : reached
}

export function progressOf(link: Position): StepProgress[] {
  const { state } = link
  const done = stepsDoneOf(link)
  const stopped = statusOf(state) !== 'pending' && state !== 'linked'
  return linkSteps.map((step, position) => {
    if (position < done) return { step, progress: 'done' }
    if (position > done) return { step, progress: 'waiting' }
    return { step, progress: stopped ? 'failed' : 'current' }
  })
}
