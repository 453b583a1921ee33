// What follows when a step fails: tried again, rolled back, parked until somebody has looked, or revoked and failed.
import { type Cause, isUsersMove } from '../../domain/cause.ts'
import { type DependencyError, errorFacts, isFinal, isPastPatience } from '../../domain/dependency-error.ts'
import { rotatesRefreshTokens } from '../../domain/integration.ts'
import type { Link, ProvisioningState } from '../../domain/link.ts'
import { mostTakeovers, retryDelaySeconds } from '../../domain/retries.ts'
import {
  isUnrevoked,
  type RevocationFailure,
  revocationTries,
  rollbackRefusal,
  unrevokedCauses,
} from '../../domain/stored-grant.ts'
import { failureEvent } from '../../domain/tenant-event.ts'
import type { Decision, Fail, Outcome, Park, Retry, StepContext } from './decision.ts'
import type { Revocation } from './escrowed-grant.ts'
import { onImportFailure } from './imports/import-failures.ts'

/** A link that fails at a step: its state is that step's. */
type AtStep = Link & { state: ProvisioningState }

export async function onStepFailure(context: StepContext, link: AtStep, error: DependencyError): Promise<Decision> {
  // Without its secrets nothing can be done, nor undone.
  if (error.cause === 'sealed_unreadable' && (!error.retry || isPastPatience(link, error))) {
    return { kind: 'park', cause: error.cause, resumeFrom: link.state, facts: { detail: error.detail } }
  }
  const ownWay = testAgain(context, link, error) ?? (await ownFailure(context, link, error))
  if (ownWay) return ownWay
  const { cause, retry } = error
  const facts = { detail: errorFacts(error).detail }
  if (retry && !isPastPatience(link, error)) {
    return {
      kind: 'retry',
      inSeconds: retryDelaySeconds(link.attempts, retry.afterSeconds, context.needs.chance()),
      cause,
    }
  }
  if (error.isWithoutGrant && link.state === 'escrowed') return { kind: 'fail', cause, revoke: false, facts }
  if (parkedCauses.has(cause)) return { kind: 'park', cause, resumeFrom: resumeFrom(link, cause), facts }
  return { kind: 'fail', cause, revoke: true, facts }
}

/** Returns undefined if the link may be tried by one more worker. */
export function onTakeovers({ takeovers, state }: AtStep): Park | undefined {
  if (takeovers < mostTakeovers) return undefined
  const cause = 'worker_crashed'
  return { kind: 'park', cause, resumeFrom: state, facts: { detail: `taken over ${takeovers} times` } }
}

/** The grant is good, or nobody can tell yet, and stays in escrow until somebody has looked. */
const parkedCauses = new Set<Cause>([
  'platform_refused',
  'name_taken',
  'function_failed',
  'answer_unreadable',
  'address_blocked',
])

/** Nothing was sent, so a worker that resumes it may send what must not be sent twice. */
const resumeFrom = ({ state }: AtStep, cause: Cause): ProvisioningState =>
  state === 'testing' && cause === 'address_blocked' ? 'escrowed' : state

/** Returns undefined if the failure means what it means for a first link. */
const ownFailure = async (context: StepContext, link: AtStep, error: DependencyError): Promise<Decision | undefined> =>
  link.relink ? onRelinkFailure(context, link, error) : link.importId ? onImportFailure(link, error) : undefined

/** The token was not sent, or not accepted: back to the state from which a worker sends it. */
function testAgain({ ready, needs }: StepContext, link: AtStep, error: DependencyError): Decision | undefined {
  const mayRotate = link.importId ? ready.integration.rotation !== 'none' : rotatesRefreshTokens(ready.integration)
  if (link.state !== 'testing' || !error.retry || !mayRotate) return undefined
  const dueInSeconds = retryDelaySeconds(testAgainAttempts, error.retry.afterSeconds, needs.chance())
  return { kind: 'move', to: 'escrowed', changes: { cause: error.cause, dueInSeconds }, facts: errorFacts(error) }
}

async function onRelinkFailure(
  context: StepContext,
  link: AtStep,
  error: DependencyError,
): Promise<Decision | undefined> {
  const isReplaced = link.state === 'connection_ready' || link.state === 'function_ready'
  if (!isReplaced || !isFinal(link, error)) return undefined
  if (await isRollbackPossible(context, link)) {
    const changes = { cause: 'relink_rolled_back' as const }
    return { kind: 'move', to: 'rolling_back', changes, facts: errorFacts(error) }
  }
  const facts = { detail: error.message }
  return { kind: 'park', cause: 'function_failed', resumeFrom: link.state, facts }
}

/** A move sets the count of tries back, so each of these waits as long as a fifth try, some six seconds. */
const testAgainAttempts = 4

async function isRollbackPossible({ needs, ready, settings }: StepContext, link: Link): Promise<boolean> {
  if (!settings.connectionPut) return true
  const current = await needs.storedGrants.find(link.connectionId, 'current')
  return rollbackRefusal(current, rotatesRefreshTokens(ready.integration), ready.client.id) === undefined
}

/**
 * What belongs to a consent that is in use ends with it. A re-link has a good grant to go on with where nothing can be
 * revoked, but what could be is not forgotten while it is alive.
 */
export function afterRevocation(link: AtStep, failed: Fail, grant: Revocation, needs: Telling): Decision {
  const { cause, changes, facts } = failed
  if (isUnrevoked(grant)) {
    if (isUsersMove(cause)) return revokeLater(link, failed, grant, needs)
    return whileUnrevoked(link, { cause, changes, facts: { ...facts, grant } }, needs.chance())
  }
  const isImpossible = grant === 'not_offered' || grant === 'client_gone'
  if (isImpossible && !link.relink && !isUsersMove(cause)) {
    return whileUnrevoked(link, { cause, changes, facts: { ...facts, grant } }, needs.chance())
  }
  return { kind: 'fail', cause, revoke: false, changes, facts: { ...facts, grant } }
}

type Telling = Pick<StepContext['needs'], 'chance' | 'tokens'>

/** With the pauses between them some minutes: then somebody has to look. */
const laterRevocations = 12

/** User and tenant are told at once: they need not wait until the provider revokes an unused grant. */
function revokeLater(
  link: AtStep,
  { cause, changes, facts }: Fail,
  grant: RevocationFailure,
  { chance, tokens }: Telling,
): Decision {
  const inSeconds = retryDelaySeconds(link.attempts, undefined, chance())
  if (link.state !== 'revoking') {
    const event = { id: tokens.id('evt'), ...failureEvent({ ...link, ...changes, cause }) }
    return {
      kind: 'move',
      to: 'revoking',
      changes: { ...changes, cause, event, dueInSeconds: inSeconds },
      facts: { cause },
    }
  }
  if (link.attempts < laterRevocations) return { kind: 'retry', inSeconds, cause }
  return { kind: 'park', cause, changes, facts: { ...facts, grant }, resumeFrom: 'revoking' }
}

/** A provider that is away for a moment is asked again. After that somebody has to look, and the grant stays sealed. */
export function whileUnrevoked(link: AtStep, outcome: Outcome<'link.needs_attention'>, chance: number): Decision {
  const soon = revokeSoon(link, outcome.facts?.grant === 'blocked' ? 'blocked' : 'refused', chance)
  if (soon) return soon
  // A re-link does the same step again and ends the same way; a first link may have found a better end by then.
  return { kind: 'park', ...outcome, resumeFrom: link.relink ? link.state : 'escrowed' }
}

/** Returns undefined if it is a first link, or the provider was asked often enough. */
export function revokeSoon(link: AtStep, grant: RevocationFailure, chance: number): Retry | undefined {
  if (!link.relink || link.attempts >= revocationTries) return undefined
  const inSeconds = retryDelaySeconds(link.attempts, undefined, chance)
  return { kind: 'retry', inSeconds, cause: unrevokedCauses[grant] }
}
