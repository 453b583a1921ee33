import { type Cause, causeEntry, isUsersMove } from '../../domain/cause.ts'
import { type DependencyError, errorFacts, isPastPatience } from '../../domain/dependency-error.ts'
import type { ProvisioningState } from '../../domain/link.ts'
import { maxTakeovers, retryDelaySeconds } from '../../domain/retries.ts'
import { isUnrevoked, type RevocationFailure, revocationTries, unrevokedCauses } from '../../domain/stored-grant.ts'
import { failureEvent } from '../../domain/tenant-event.ts'
import type { AtStep, Decision, Fail, KindOfLink, Outcome, Park, Retry, StepContext } from './decision.ts'
import type { Revocation } from './escrowed-grant.ts'

export async function onStepFailure(
  context: StepContext,
  link: AtStep,
  error: DependencyError,
  kind: Pick<KindOfLink, 'mayRotate' | 'onFailure'>,
): Promise<Decision> {
  if (error.cause === 'sealed_unreadable' && (!error.retry || isPastPatience(link, error))) {
    return { kind: 'park', cause: error.cause, resumeFrom: link.state, facts: { detail: error.detail } }
  }
  const again = kind.mayRotate(context.ready.integration) ? testAgain(context, link, error) : undefined
  const ownWay = again ?? (await kind.onFailure(context, link, error))
  if (ownWay) return ownWay
  const { cause, retry } = error
  const facts = { detail: errorFacts(error).detail }
  if (retry && !isPastPatience(link, error)) {
    const inSeconds = retryDelaySeconds(link.attempts, retry.afterSeconds, context.ports.chance())
    return { kind: 'retry', inSeconds, cause }
  }
  if (error.isWithoutGrant && link.state === 'escrowed') return { kind: 'fail', cause, revoke: false, facts }
  if (causeEntry(cause).whenFinal === 'park') return { kind: 'park', cause, resumeFrom: resumeFrom(link, cause), facts }
  return { kind: 'fail', cause, revoke: true, facts }
}

export function onTakeovers({ takeovers, state }: AtStep): Park | undefined {
  if (takeovers < maxTakeovers) return undefined
  const cause = 'worker_crashed'
  return { kind: 'park', cause, resumeFrom: state, facts: { detail: `taken over ${takeovers} times` } }
}

/** Nothing was sent, so a worker that resumes the link may send the token. */
const resumeFrom = ({ state }: AtStep, cause: Cause): ProvisioningState =>
  state === 'testing' && cause === 'address_blocked' ? 'escrowed' : state

function testAgain({ ports }: StepContext, link: AtStep, error: DependencyError): Decision | undefined {
  if (link.state !== 'testing' || !error.retry) return undefined
  const dueInSeconds = retryDelaySeconds(testAgainAttempts, error.retry.afterSeconds, ports.chance())
  return { kind: 'move', to: 'escrowed', changes: { cause: error.cause, dueInSeconds }, facts: errorFacts(error) }
}

/** A move resets the attempts, so each retry here waits as long as a fifth attempt: about six seconds. */
const testAgainAttempts = 4

/** A re-link may fail if the provider cannot revoke, because its connection keeps a working grant. */
export function afterRevocation(link: AtStep, failed: Fail, grant: Revocation, ports: Telling): Decision {
  const { cause, changes, facts } = failed
  if (isUnrevoked(grant)) {
    if (isUsersMove(cause)) return revokeLater(link, failed, grant, ports)
    return whileUnrevoked(link, { cause, changes, facts: { ...facts, grant } }, ports.chance())
  }
  const isImpossible = grant === 'not_offered' || grant === 'client_gone'
  if (isImpossible && link.kind !== 'relink' && !isUsersMove(cause)) {
    return whileUnrevoked(link, { cause, changes, facts: { ...facts, grant } }, ports.chance())
  }
  return { kind: 'fail', cause, revoke: false, changes, facts: { ...facts, grant } }
}

type Telling = Pick<StepContext['ports'], 'chance' | 'tokens'>

const laterRevocations = 12

/** The end is reported at once. User and tenant do not wait for the revocation of an unused grant. */
function revokeLater(
  link: AtStep,
  { cause, changes, facts }: Fail,
  grant: RevocationFailure,
  { chance, tokens }: Telling,
): Decision {
  const inSeconds = retryDelaySeconds(link.attempts, undefined, chance())
  if (link.state !== 'revoking') {
    const event = { id: tokens.id('evt'), ...failureEvent({ ...link, ...changes, cause }) }
    const ended = { ...changes, cause, event, dueInSeconds: inSeconds }
    return { kind: 'move', to: 'revoking', changes: ended, facts: { cause } }
  }
  if (link.attempts < laterRevocations) return { kind: 'retry', inSeconds, cause }
  return { kind: 'park', cause, changes, facts: { ...facts, grant }, resumeFrom: 'revoking' }
}

export function whileUnrevoked(link: AtStep, outcome: Outcome<'link.needs_attention'>, chance: number): Decision {
  const soon = revokeSoon(link, outcome.facts?.grant === 'blocked' ? 'blocked' : 'refused', chance)
  if (soon) return soon
  // A resumed re-link repeats the step. A resumed first link may still succeed.
  return { kind: 'park', ...outcome, resumeFrom: link.kind === 'relink' ? link.state : 'escrowed' }
}

export function revokeSoon(link: AtStep, grant: RevocationFailure, chance: number): Retry | undefined {
  if (link.kind !== 'relink' || link.attempts >= revocationTries) return undefined
  const inSeconds = retryDelaySeconds(link.attempts, undefined, chance)
  return { kind: 'retry', inSeconds, cause: unrevokedCauses[grant] }
}
