import type { Actor } from '../domain/audit.ts'
import { completionRefusal, mostWrongCompletions } from '../domain/completion.ts'
import { Failure, missing } from '../domain/failure.ts'
import { completionRound, type Link } from '../domain/link.ts'
import { type Caller, maySee } from '../domain/tenant.ts'
import type { Adapters, Settings, UnderWay } from './adapters.ts'
import { endLink } from './end-link.ts'
import { type ExchangeNeeds, exchangeCode } from './exchange-code.ts'
import { findClient } from './find-client.ts'
import { openHeldCode } from './hold-code.ts'
import { limitRate } from './limit-rate.ts'

export type CompleteLink = {
  caller: Caller
  actor: Actor
  sessionId: string
  completionCode: string
  completionVerifier: string
}

type Needs = ExchangeNeeds & Pick<Adapters, 'sessions' | 'background' | 'rates'>

/** The tenant proves that the browser that came back is the one that set out. Only now is the code spent. */
export const completeLink =
  (needs: Needs, settings: Pick<Settings, 'verifyFunctions' | 'rates'>) =>
  async (input: CompleteLink): Promise<UnderWay> => {
    const session = await needs.sessions.find(input.sessionId)
    if (!session || !maySee(input.caller, session.tenant)) throw missing('connect session')
    await limitRate(needs)(settings.rates.complete, session.id)
    const link = session.linkId ? await needs.links.find(session.linkId) : undefined
    const refusal = completionRefusal(link?.state)
    if (refusal || !link) throw refusal ?? missing('connect session')
    if (!isProven(needs, link, input)) throw await countWrong(needs, link, input.actor)
    const proofs = await openHeldCode(needs)(link)
    if (!proofs) throw completionRefusal('exchanging')
    const ready = await findClient(needs, link.tenant, link.integration)
    const exchange = exchangeCode(needs, settings)({ link, ready, actor: input.actor, ...proofs })
    return { link, done: needs.background.keep(exchange) }
  }

function isProven({ tokens }: Needs, link: Link, { completionCode, completionVerifier }: CompleteLink): boolean {
  const code = tokens.sameDigest(completionCode, tokens.completionCode(completionRound(link)))
  const verifier = tokens.sameDigest(tokens.challenge(completionVerifier), link.completionChallenge ?? '')
  return code && verifier
}

async function countWrong(needs: Needs, link: Link, actor: Actor): Promise<Failure> {
  const wrong = await needs.links.countWrongCompletion(link)
  if (wrong >= mostWrongCompletions) await endLink(needs)(link, 'failed', 'completion_refused', actor)
  return new Failure('completion_refused', 'The completion code or the verifier is wrong.')
}
