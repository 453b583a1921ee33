// What a link was granted, as it lies in escrow: opening it, reading it again, and revoking it.
import type { Secret } from '../../../kit/crypto/secret.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Link, UpstreamAccount } from '../../domain/link.ts'
import type { Grant, RevocationOutcome } from '../../domain/ports/provider.ts'
import type { LinkChanges } from '../../domain/ports/provisioning.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { type GrantOrigin, type KnownOrigin, mayRevoke } from '../../domain/stored-grant.ts'
import { issuedTo, type ReadyIntegration } from '../../tenants/flows/find-client.ts'
import type { ProvisionNeeds, StepContext } from './decision.ts'
import { LostLink } from './fence.ts'
import { originsOf } from './stored-grant.ts'

type Opening = Pick<ProvisionNeeds, 'secrets' | 'seal'>

/** `trialRefresh` is undefined if the grant was never tried. */
type OpenedGrant = { raw: Secret; trialRefresh: Secret | undefined }

/** Only a move of the link wipes its escrow: where there is none, another worker has moved it. */
export async function openEscrow({ secrets, seal }: Opening, link: Link): Promise<OpenedGrant> {
  const escrowed = await secrets.escrow(link.id)
  if (!escrowed) throw new LostLink()
  const { sealed, trialRefresh } = escrowed
  return {
    raw: seal.open(sealed, sealContext.escrow(link)),
    trialRefresh: trialRefresh === undefined ? undefined : seal.open(trialRefresh, sealContext.trialRefresh(link)),
  }
}

export const rereadGrant = async ({ needs, ready }: StepContext, link: Link): Promise<Grant> =>
  needs.provider.reread({ ...ready, config: link.config }, (await openEscrow(needs, link)).raw)

/** What the ledger keeps of a grant. An answer without a list of scopes granted what was asked. */
export const grantChanges = ({ integration }: ReadyIntegration, link: Link, grant: Grant): LinkChanges => ({
  config: { ...link.config, ...grant.config },
  grantedScopes: grant.scopes ?? integration.scopes.map(({ name }) => name),
  ...accountChange(grant),
})

/** Whose it is decides whether it may be revoked, so it is told also of a grant that cannot be used. */
export const accountChange = ({ account }: Pick<Grant, 'account'>): LinkChanges => (account ? { account } : {})

/** Whether the provider replaced the refresh token when the grant was tried. */
export async function hasRotated({ needs, ready }: StepContext, link: Link): Promise<boolean> {
  const { raw, trialRefresh } = await openEscrow(needs, link)
  return trialRefresh ? (await needs.provider.rereadRefresh({ ...ready, raw }, trialRefresh)).rotated : false
}

/** An answer that cannot be read may hold another token. */
export const mayHaveRotated = (context: StepContext, link: Link): Promise<boolean> =>
  hasRotated(context, link).catch((error) => {
    if (error instanceof DependencyError) return true
    throw error
  })

/** `shared`: not revoked, because that would also end a grant that is in use. `client_gone`: nobody here can ask for it. */
export type Revocation = RevocationOutcome | 'shared' | 'client_gone'

export async function revokeEscrowed(
  context: StepContext,
  link: Link,
  account: UpstreamAccount | undefined,
): Promise<Revocation> {
  const { needs, ready } = context
  // The tenant had it before, and may be using it.
  if (link.importId && !(await mayHaveRotated(context, link))) return 'shared'
  const origin: KnownOrigin = (await needs.secrets.escrow(link.id)) ?? {}
  const { reach } = ready.integration.revocation
  const shared = reach === 'grant' && (await sharesConsent(needs, originsOf(ready, origin), link, account))
  if (!mayRevoke(reach, shared)) return 'shared'
  const issuing = issuedTo(ready, origin.clientId)
  // A provider answers as if it had revoked what is not the client's (RFC 7009 §2.2), so it is not asked by another.
  if (!issuing) return 'client_gone'
  const { raw, trialRefresh } = await openEscrow(needs, link)
  return needs.provider.revoke(issuing, raw, trialRefresh)
}

/**
 * Without an account nobody can tell; the connection that a re-link mends has the benefit of the doubt, and so has what
 * the same user granted since: its account may not be known before it is put to work.
 */
async function sharesConsent(
  { storedGrants, links }: ProvisionNeeds,
  origins: readonly GrantOrigin[],
  link: Link,
  account: UpstreamAccount | undefined,
): Promise<boolean> {
  if (!account && link.relink) return true
  for (const origin of account ? origins : []) {
    const consent = { integration: link.integration, accountId: account?.id ?? '', ...origin }
    if (await storedGrants.sharesConsent(consent)) return true
  }
  return links.hasConsentUnderWay({ ...link, endUserId: link.endUser.id, after: link.id })
}
