import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { linkEntry } from '../../domain/audit/audit-entry.ts'
import { DependencyError, errorFacts } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import { type Config, hasGrant, type Link } from '../../domain/link.ts'
import type { RegisteredClients } from '../../domain/ports/mcp-servers.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { originOf } from '../../domain/stored-grant.ts'
import { throughFailover } from '../../flows/through-failover.ts'
import { callNotes } from '../../provisioning/flows/calls/call-notes.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { errorIfForgotten } from '../../provisioning/flows/forgotten-client.ts'
import { type ProvisionNeeds, type ProvisionSettings, provisionLink } from '../../provisioning/flows/provision-link.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

export type ExchangeCode = {
  link: Link
  ready: ReadyIntegration
  code: Secret
  verifier: Secret
  nonce: string
  issuer: string | undefined
  /** With what was kept of the callback. */
  config: Config
  actor: Actor
}

export type ExchangeNeeds = ProvisionNeeds & { tokens: Tokens; registeredClients: RegisteredClients }

/** Sends one token request per code, ever. The response is in escrow before it is parsed. */
export const exchangeCode =
  (needs: ExchangeNeeds, settings: ProvisionSettings) =>
  async ({ link, ready, actor, config, code, verifier, nonce, issuer }: ExchangeCode): Promise<Link> => {
    const following = link.state === 'code_waiting' ? 'completion' : 'callback'
    const audit = linkEntry(link, 'exchanging', actor, { following })
    const intent = await needs.links.move(link, 'exchanging', { takeOver: true, config }, audit)
    if (!intent) return (await needs.links.find(link.id)) ?? link
    const escrow: { link?: Link } = {}
    const notes = callNotes(intent)
    const noting = notes.over(needs)
    const keep = async (raw: Secret) => {
      escrow.link = await intoEscrow(noting, intent, raw, ready, actor)
    }
    const provision = provisionLink(needs, settings)
    const { requestId } = actor
    try {
      const { integration, client } = ready
      // Also what the notes fill in: to add members to a copy takes many times as long as to replace them.
      const request = {
        integration,
        client,
        code,
        issuer,
        nonce,
        verifier,
        config,
        keep,
        note: undefined,
        traceparent: undefined,
      }
      const exchange = () => noting.provider.exchange(request)
      const grant = await needs.traces.within('link.exchange', link, exchange)
      return await provision({ link: escrow.link ?? intent, ready, found: { grant }, requestId, notes })
    } catch (error) {
      if (!(error instanceof DependencyError)) throw error
      if (escrow.link) return provision({ link: escrow.link, ready, found: { error }, requestId, notes })
      const told = await errorIfForgotten(needs, ready, error, actor)
      return endLink(noting)(intent, { to: endOf(told), actor, facts: errorFacts(told) })
    }
  }

const endOf = ({ cause }: DependencyError) => (cause === 'exchange_unknown' ? 'exchange_unknown' : 'failed')

/** A grant that cannot be stored is revoked at the provider after a few attempts. */
async function intoEscrow(
  needs: ExchangeNeeds,
  link: Link,
  raw: Secret,
  ready: ReadyIntegration,
  actor: Actor,
): Promise<Link> {
  const sealed = needs.seal.seal(raw, sealContext.escrow(link))
  const escrow = { sealed, fingerprint: needs.tokens.fingerprint(raw), ...originOf(ready) }
  let cause: unknown
  try {
    const found = await throughFailover(needs, async () => {
      const kept = await needs.links.move(link, 'escrowed', { escrow }, linkEntry(link, 'escrowed', actor, {}))
      // Nothing moved: an earlier attempt succeeded but its response was lost, or another worker ended the link.
      return kept ?? needs.links.find(link.id)
    })
    if (found && hasGrant(found.state)) return found
  } catch (error) {
    cause = error
  }
  const isRevoked = (await needs.provider.revoke(ready, raw)) === 'revoked'
  const detail = `Your permission could not be stored${isRevoked ? ', so it was revoked' : ''}. Please start again.`
  throw new Failure('store_unavailable', detail, { cause })
}
