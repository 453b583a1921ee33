import type { Actor } from '../../domain/audit/audit.ts'
import {
  type ConnectSession,
  completionRefusal,
  completionUsed,
  maxWrongCompletions,
} from '../../domain/connect-session.ts'
import { Failure, missing } from '../../domain/failure.ts'
import { completionRound, type Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { LinkInProgress, Settings } from '../../domain/settings.ts'
import { type Caller, ownThing } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { findIssuing } from '../../tenants/flows/find-client.ts'
import { exchangeCode } from './exchange-code.ts'
import { openWaitingCode } from './waiting-code.ts'

export type CompleteLink = {
  caller: Caller
  actor: Actor
  sessionId: string
  completionCode: string
  completionVerifier: string
}

/** The tenant's server confirms that the same browser returned. The code is not exchanged before that. */
export async function completeLink(ports: Ports, settings: Settings, input: CompleteLink): Promise<LinkInProgress> {
  const session = ownThing(await ports.sessions.find(input.sessionId), input.caller, 'connect session')
  await limitRate(ports, settings.rates.complete, session.id)
  const link = session.linkId ? await ports.links.find(session.linkId) : undefined
  const refusal = completionRefusal(link?.state)
  if (refusal || !link) throw await recordedFailure(ports, session, input.actor, refusal ?? missing('connect session'))
  if (!isConfirmed(ports, link, input)) throw await wrongCompletionFailure(ports, session, link, input.actor)
  const waiting = await openWaitingCode(ports, link)
  if (!waiting) throw await recordedFailure(ports, session, input.actor, completionUsed())
  const ready = await findIssuing(ports, link, waiting.clientId)
  const exchange = exchangeCode(ports, settings, { link, ready, actor: input.actor, ...waiting })
  return { link, done: ports.background.keep(exchange) }
}

function isConfirmed({ tokens }: Ports, link: Link, { completionCode, completionVerifier }: CompleteLink): boolean {
  const code = tokens.sameDigest(completionCode, tokens.completionCode(completionRound(link)))
  const verifier = tokens.sameDigest(tokens.challenge(completionVerifier), link.completionChallenge ?? '')
  return code && verifier
}

async function wrongCompletionFailure(
  ports: Ports,
  session: ConnectSession,
  link: Link,
  actor: Actor,
): Promise<Failure> {
  const wrong = await ports.links.countWrongCompletion(link)
  const failure = new Failure('completion_refused', 'The completion code or the verifier is wrong.')
  await recordedFailure(ports, session, actor, failure)
  if (wrong >= maxWrongCompletions) {
    await endLink(ports, link, { to: 'failed', actor, facts: { cause: 'completion_refused' } })
  }
  return failure
}

async function recordedFailure(
  { audit }: Ports,
  session: ConnectSession,
  actor: Actor,
  failure: Failure,
): Promise<Failure> {
  const { id, tenant, linkId: link } = session
  const subject = { kind: 'connect_session' as const, id }
  await audit.note({ action: 'completion.rejected', actor, subject, tenant, link, facts: { refusal: failure.code } })
  return failure
}
