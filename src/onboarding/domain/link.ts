import { z } from 'zod'
import { causeCodes, isUsersMove } from './cause.ts'
import { ifConnectedModes } from './end-users/if-connected.ts'
import { type LinkState, linkStates, linkStateTable, provisioningStates, statusOf } from './link-states.ts'

export * from './link-states.ts'

const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()

/** `locale` is the BCP 47 tag that the tenant named for our pages. */
export const EndUserValue = z.object({
  id: z.string(),
  displayName: z.string().optional(),
  email: z.string().optional(),
  locale: z.string().optional(),
})
export type EndUser = z.output<typeof EndUserValue>

export const ConfigValue = z.record(z.string(), z.string()).readonly()
export type Config = z.output<typeof ConfigValue>

export const LabelsValue = z.record(z.string(), z.string()).readonly()

/**
 * `claimed`: named by a tenant's import or an unsigned callback parameter, not by the provider. Such an account neither
 * pins a connection nor counts for other tenants.
 */
export const AccountValue = z.object({ id: z.string(), label: z.string(), claimed: z.literal(true).optional() })
export type UpstreamAccount = z.output<typeof AccountValue>

/** A re-link replaces the grant of an existing connection. The grant of an import did not come from a consent here. */
const linkKindNames = ['first', 'relink', 'import'] as const
export type LinkKind = (typeof linkKindNames)[number]

export const LinkRow = z.object({
  id: z.string(),
  sessionId: z.string(),
  tenant: z.string(),
  workspace: z.string(),
  integration: z.string(),
  endUser: EndUserValue,
  returnUrl: maybe(z.string()),
  kind: z.enum(linkKindNames),
  importId: maybe(z.string()),
  allowOtherAccount: z.boolean(),
  ifConnected: z.enum(ifConnectedModes),
  completionChallenge: maybe(z.string()),
  /** SHA-256 of the cookie of the browser that started the link. */
  browser: z.string(),
  state: z.enum(linkStates),
  cause: maybe(z.enum(causeCodes)),
  resumeFrom: maybe(z.enum(provisioningStates)),
  forcedConsent: z.boolean(),
  missingScopes: z.array(z.string()),
  grantedScopes: maybe(z.array(z.string())),
  config: ConfigValue,
  /** The names that the tenant gave to the connection that the link makes. */
  alias: maybe(z.string()),
  labels: maybe(LabelsValue),
  account: maybe(AccountValue),
  connectionId: z.string(),
  connectionName: z.string(),
  functionName: z.string(),
  functionUrl: maybe(z.string()),
  attempts: z.number(),
  /** Undefined while a worker has the link. */
  nextAttemptAt: maybe(z.coerce.date()),
  /** Raised by each claim: a worker with an old number cannot write. */
  fence: z.number(),
  takeovers: z.number(),
  /** When the token response was sealed, until an audit entry has the time. */
  receivedAt: maybe(z.coerce.date()),
  /** W3C Trace Context. Undefined if tracing was off. */
  traceparent: maybe(z.string()),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
})

export type Link = z.output<typeof LinkRow>

type LinkTimes = Pick<Link, 'receivedAt' | 'createdAt' | 'updatedAt'>

export const newLinkDefaults = {
  state: 'authorizing',
  forcedConsent: false,
  missingScopes: [],
  attempts: 0,
  fence: 0,
  takeovers: 0,
} satisfies Partial<Link>

export type NewLink = Omit<Link, keyof typeof newLinkDefaults | keyof LinkTimes> & {
  expiresInSeconds: number
}

export const clearedMembers = ['cause', 'resumeFrom'] as const
export const keptMembers = [
  'forcedConsent',
  'missingScopes',
  'grantedScopes',
  'config',
  'account',
  'functionUrl',
  'browser',
] as const

export type MemberChanges = Partial<Pick<Link, (typeof clearedMembers | typeof keptMembers)[number]>> & {
  /** The link becomes a re-link of this connection: the user had connected the same account before. */
  relinkOf?: Pick<Link, 'connectionId' | 'connectionName' | 'functionName'>
  takeOver?: boolean
  /** The alias is that of another connection. */
  dropAlias?: boolean
}

export function movedLink(
  link: Link,
  to: LinkState,
  { relinkOf, takeOver, dropAlias, ...changes }: MemberChanges,
): Link {
  const set = keptMembers.filter((member) => changes[member] !== undefined).map((member) => [member, changes[member]])
  return {
    ...link,
    ...Object.fromEntries(set),
    ...(relinkOf && { kind: 'relink', ...relinkOf }),
    ...(dropAlias && { alias: undefined }),
    state: to,
    cause: changes.cause,
    resumeFrom: changes.resumeFrom,
    attempts: 0,
    takeovers: 0,
    fence: link.fence + (takeOver ? 1 : 0),
  }
}

/** The cause reported before the provider has revoked the grant. Later failures do not change it. */
export const reportedCause = ({ state, resumeFrom, cause }: Pick<Link, 'state' | 'resumeFrom' | 'cause'>) =>
  (state === 'revoking' || resumeFrom === 'revoking') && cause !== undefined && isUsersMove(cause) ? cause : undefined

export const isReportedEnd = (link: Pick<Link, 'state' | 'resumeFrom' | 'cause'>): boolean =>
  reportedCause(link) !== undefined

export const needsConsentAgain = ({ state, forcedConsent }: Pick<Link, 'state' | 'forcedConsent'>): boolean =>
  state === 'authorizing' && forcedConsent

/** A second consent has a new code. */
export const completionRound = ({ id, forcedConsent }: Pick<Link, 'id' | 'forcedConsent'>): string =>
  forcedConsent ? `${id}:again` : id

export const awaited = ['consent', 'completion'] as const

export function awaitedBy({ state }: Pick<Link, 'state'>): (typeof awaited)[number] | undefined {
  if (state === 'authorizing') return 'consent'
  return state === 'code_waiting' ? 'completion' : undefined
}

export const linkSteps = ['consent', 'exchange', 'connection', 'function', 'verification'] as const
type LinkStep = (typeof linkSteps)[number]

type StepProgress = { step: LinkStep; progress: 'done' | 'current' | 'waiting' | 'failed' }

type Position = Pick<Link, 'state' | 'resumeFrom' | 'cause'>

function stepsDoneOf({ state, resumeFrom, cause }: Position): number {
  const reached = linkStateTable[resumeFrom ?? state].stepsDone
  // The function exists but does not start, so that step is not done.
  if (cause === 'function_failed') return Math.min(reached, linkSteps.indexOf('function'))
  // The user consented, but the tenant did not complete: the code was never exchanged.
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
