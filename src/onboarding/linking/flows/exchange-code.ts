import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { aboutLink, linkEntry } from '../../domain/audit/audit-entry.ts'
import { DependencyError, errorFacts } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import { hasGrant, type Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { Settings } from '../../domain/settings.ts'
import { originOf } from '../../domain/stored-grant.ts'
import { throughFailover } from '../../flows/through-failover.ts'
import { callNotes } from '../../provisioning/flows/call-notes.ts'
import { noteRejection } from '../../provisioning/flows/client-verdict.ts'
import { errorIfForgotten, noteWorking } from '../../provisioning/flows/discover-server.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { endSent } from '../../provisioning/flows/end-sent.ts'
import { revokeUnstored } from '../../provisioning/flows/escrowed-grant.ts'
import { LostLink } from '../../provisioning/flows/fence.ts'
import { provisionLink } from '../../provisioning/flows/provision-link.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'
import { findLink } from './find-link.ts'
import { intendSending } from './intend-sending.ts'
import type { CodeToExchange } from './waiting-code.ts'

type ExchangeCode = CodeToExchange & {
  link: Link
  ready: ReadyIntegration
  actor: Actor
  /** The claim of the authorization, if it is still under way. */
  claim?: Promise<unknown> | undefined
}

/** Sends one token request per code, ever. The response is in escrow before it is parsed. */
export async function exchangeCode(
  ports: Ports,
  settings: Settings,
  { claim, ...exchangeable }: ExchangeCode,
): Promise<Link> {
  const { link, ready, actor, config, code, verifier, nonce, issuer } = exchangeable
  const following = link.state === 'code_waiting' ? 'completion' : 'callback'
  const audit = linkEntry(link, 'exchanging', actor, { following })
  const write = () => ports.links.move(link, 'exchanging', { takeOver: true, config }, audit)
  const withdraw = (intent: Link) => {
    const entry = { action: 'link.exchange_withdrawn' as const, actor, ...aboutLink(intent) }
    const changes = { takeOver: true, dueInSeconds: settings.authorizationSeconds }
    return ports.links.move(intent, 'authorizing', changes, entry)
  }
  const intended = await intendSending(ports, link, { write, withdraw, claim })
  if (!intended) {
    const now = await findLink(ports, link.id)
    return isWithdrawn(link, now) ? exchangeCode(ports, settings, { ...exchangeable, link: now }) : now
  }
  const { link: intent, isOurs } = intended
  if (!isOurs) return endSent(ports, settings, intent, actor)
  const escrow: { link?: Link } = {}
  const notes = callNotes(intent)
  const noting = notes.over(ports)
  const keep = async (raw: Secret) => {
    escrow.link = await intoEscrow(noting, intent, raw, ready, actor)
    // Its lease ran out before the store answered.
    if (escrow.link.fence !== intent.fence) throw new LostLink()
  }

  const { requestId } = actor
  try {
    const { integration, client } = ready
    const exchange = () =>
      noting.provider.exchange({ integration, client, code, issuer, nonce, verifier, config, keep })
    const grant = await ports.traces.within('link.exchange', link, exchange)
    await noteWorking(ports, ready)
    const escrowed = escrow.link ?? intent
    return await provisionLink(ports, settings, { link: escrowed, ready, found: { grant }, requestId, notes })
  } catch (error) {
    if (error instanceof LostLink && escrow.link) return escrow.link
    if (!(error instanceof DependencyError)) throw error
    if (escrow.link)
      return provisionLink(ports, settings, { link: escrow.link, ready, found: { error }, requestId, notes })
    await noteRejection(ports, ready, error.cause)
    const reported = await errorIfForgotten(ports, ready, error, actor)
    return endLink(noting, intent, { to: endOf(reported), actor, facts: errorFacts(reported) })
  }
}

/** True if an intent was taken back after this link was stored with its authorization. */
const isWithdrawn = (carried: Link, now: Link): boolean =>
  carried.state === 'authorizing' &&
  now.state === 'authorizing' &&
  now.fence > carried.fence &&
  now.forcedConsent === carried.forcedConsent &&
  now.cause === carried.cause

const endOf = ({ cause }: DependencyError) => (cause === 'exchange_unknown' ? 'exchange_unknown' : 'failed')

/** Minutes: a ledger that waits for its standby may have stored the grant although it has not answered. */
const maxEscrowTries = 16
/** A program that ends has seconds. */
const minEscrowTries = 3

/** Revokes a grant only if the ledger does not hold it, or if the mark keeps the ledger's copy from being delivered. */
async function intoEscrow(ports: Ports, link: Link, raw: Secret, ready: ReadyIntegration, actor: Actor): Promise<Link> {
  const sealed = ports.seal.seal(raw, sealContext.escrow(link))
  const escrow = { sealed, fingerprint: ports.tokens.fingerprint(raw), ...originOf(ready) }
  // Most first links are compared with the user's other accounts, which takes the lock: here it costs no statement.
  const locksUser = link.kind === 'first' && link.ifConnected !== 'add' && ready.integration.account.from !== 'none'
  const store = async () => {
    const kept = await ports.links.move(link, 'escrowed', { escrow, locksUser }, linkEntry(link, 'escrowed', actor, {}))
    // Nothing moved: an earlier attempt succeeded but its response was lost, or another worker ended the link.
    return kept ?? ports.links.find(link.id)
  }
  let cause: unknown
  let mayRevoke = true
  try {
    const isLast = (tried: number) =>
      tried === maxEscrowTries || (tried >= minEscrowTries && ports.background.isHurried())
    const found = await throughFailover(ports, store, isLast)
    if (found && hasGrant(found.state)) return found
  } catch (error) {
    cause = error
    mayRevoke = await ports.marks.claim('grant', link.id, 'revoked').catch(() => false)
  }
  const isRevoked = mayRevoke && (await revokeUnstored(ports, ready, link, raw)) === 'revoked'
  const detail = `Your permission could not be stored${isRevoked ? ', so it was revoked' : ''}. Please start again.`
  throw new Failure('store_unavailable', detail, { cause })
}
