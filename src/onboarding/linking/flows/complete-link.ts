import type { Actor } from '../../domain/audit/audit.ts'
import {
  type ConnectSession,
  completionRefusal,
  completionUsed,
  mostWrongCompletions,
} from '../../domain/connect-session.ts'
import { Failure, missing } from '../../domain/failure.ts'
import { completionRound, type Link } from '../../domain/link.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import type { Audit, Background, RateLimits } from '../../domain/ports/shared.ts'
import type { LinkInProgress, Settings } from '../../domain/settings.ts'
import { type Caller, ownThing } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import type { ProvisionSettings } from '../../provisioning/flows/provision-link.ts'
import { findClient } from '../../tenants/flows/find-client.ts'
import { type ExchangeNeeds, exchangeCode } from './exchange-code.ts'
import { openWaitingCode } from './waiting-code.ts'

export type CompleteLink = {
  caller: Caller
  actor: Actor
  sessionId: string
  completionCode: string
  completionVerifier: string
}

type Needs = ExchangeNeeds & { sessions: ConnectSessions; background: Background; rates: RateLimits; audit: Audit }

/** The tenant's server confirms that the browser that came back is the one that started. Only then is the code exchanged. */
export const completeLink =
  (needs: Needs, settings: ProvisionSettings & Pick<Settings, 'rates'>) =>
  async (input: CompleteLink): Promise<LinkInProgress> => {
    const session = ownThing(await needs.sessions.find(input.sessionId), input.caller, 'connect session')
    await limitRate(needs)(settings.rates.complete, session.id)
    const link = session.linkId ? await needs.links.find(session.linkId) : undefined
    const refusal = completionRefusal(link?.state)
    if (refusal || !link)
      throw await recordedFailure(needs, session, input.actor, refusal ?? missing('connect session'))
    if (!isConfirmed(needs, link, input)) throw await wrongCompletionFailure(needs, session, link, input.actor)
    const waiting = await openWaitingCode(needs)(link)
    if (!waiting) throw await recordedFailure(needs, session, input.actor, completionUsed())
    const ready = await findClient(needs, link)
    const exchange = exchangeCode(needs, settings)({ link, ready, actor: input.actor, ...waiting })
    return { link, done: needs.background.keep(exchange) }
  }

function isConfirmed({ tokens }: Needs, link: Link, { completionCode, completionVerifier }: CompleteLink): boolean {
  const code = tokens.sameDigest(completionCode, tokens.completionCode(completionRound(link)))
  const verifier = tokens.sameDigest(tokens.challenge(completionVerifier), link.completionChallenge ?? '')
  return code && verifier
}

async function wrongCompletionFailure(
  needs: Needs,
  session: ConnectSession,
  link: Link,
  actor: Actor,
): Promise<Failure> {
  const wrong = await needs.links.countWrongCompletion(link)
  const failure = new Failure('completion_refused', 'The completion code or the verifier is wrong.')
  await recordedFailure(needs, session, actor, failure)
  if (wrong >= mostWrongCompletions) {
    await endLink(needs)(link, { to: 'failed', actor, facts: { cause: 'completion_refused' } })
  }
  return failure
}

/** A wrong completion may be an attack, so each is audited. */
async function recordedFailure(
  { audit }: Needs,
  session: ConnectSession,
  actor: Actor,
  failure: Failure,
): Promise<Failure> {
  const { id, tenant, linkId: link } = session
  const subject = { kind: 'connect_session' as const, id }
  await audit.note({ action: 'completion.rejected', actor, subject, tenant, link, facts: { refusal: failure.code } })
  return failure
}
