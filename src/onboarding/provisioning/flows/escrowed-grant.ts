import type { Secret } from '../../../kit/crypto/secret.ts'
import type { LinkOutcome } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Link, UpstreamAccount } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Grant, RefreshOutcome, RevocationOutcome } from '../../domain/ports/provider.ts'
import type { LinkChanges } from '../../domain/ports/provisioning.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { type KnownOrigin, originOf } from '../../domain/stored-grant.ts'
import { throughFailover } from '../../flows/through-failover.ts'
import { issuedTo, type ReadyIntegration } from '../../tenants/flows/find-client.ts'
import type { StepContext } from './decision.ts'
import { LostLink } from './fence.ts'
import { mayRevoke } from './stored-grant.ts'

type Opening = Pick<Ports, 'secrets' | 'seal'>

type OpenedGrant = { raw: Secret; trialRefresh: Secret | undefined }

/** Only a move wipes the escrow, so a missing escrow means that another worker moved the link. */
export async function openEscrow({ secrets, seal }: Opening, link: Link): Promise<OpenedGrant> {
  const escrowed = await secrets.escrow(link.id)
  if (!escrowed) throw new LostLink()
  const { sealed, trialRefresh } = escrowed
  return {
    raw: seal.open(sealed, sealContext.escrow(link)),
    trialRefresh: trialRefresh === undefined ? undefined : seal.open(trialRefresh, sealContext.trialRefresh(link)),
  }
}

export const rereadGrant = async ({ ports, ready }: StepContext, link: Link): Promise<Grant> =>
  ports.provider.reread({ ...ready, config: link.config }, (await openEscrow(ports, link)).raw)

export const grantChanges = ({ integration }: ReadyIntegration, link: Link, grant: Grant): LinkChanges => ({
  config: { ...link.config, ...grant.config },
  grantedScopes: grant.scopes ?? integration.scopes.map(({ name }) => name),
  ...accountChange(grant),
})

export const accountChange = ({ account }: Pick<Grant, 'account'>): LinkChanges => (account ? { account } : {})

export async function hasRotated({ ports, ready }: StepContext, link: Link): Promise<boolean> {
  const { raw, trialRefresh } = await openEscrow(ports, link)
  return trialRefresh ? (await ports.provider.rereadRefresh({ ...ready, raw }, trialRefresh)).rotated : false
}

export const mayHaveRotated = (context: StepContext, link: Link): Promise<boolean> =>
  hasRotated(context, link).catch((error) => {
    if (error instanceof DependencyError) return true
    throw error
  })

export const linkOutcome = (
  { ready, settings }: StepContext,
  rotates: boolean,
  previousSeconds: number | undefined,
): LinkOutcome => ({
  checkInSeconds: ready.integration.health.everySeconds ?? settings.healthSeconds,
  ...originOf(ready),
  keepGrant: settings.keepGrants,
  rotates,
  previousSeconds,
})

/** `shared`: revoking would end a grant in use. `client_gone`: the client of the grant is no longer configured. */
export type Revocation = RevocationOutcome | 'shared' | 'client_gone'

export async function revokeEscrowed(
  context: StepContext,
  link: Link,
  account: UpstreamAccount | undefined,
): Promise<Revocation> {
  const { ports, ready } = context
  const origin: KnownOrigin = (await ports.secrets.escrow(link.id)) ?? {}
  const owner = async () => account ?? (await rereadGrant(context, link).catch(undefinedIfUnread))?.account
  if (!(await mayRevokeFrom(ports, ready, link, origin, owner))) return 'shared'
  const issuing = issuedTo(ready, origin.clientId)
  // RFC 7009 §2.2: a provider reports success for tokens of other clients, so only the issuing client asks.
  if (!issuing) return 'client_gone'
  const { raw, trialRefresh } = await openEscrow(ports, link)
  return ports.provider.revoke(issuing, raw, trialRefresh)
}

/** Revokes a grant that is not in the escrow. Keeps it if the ledger cannot say who else uses the consent. */
export async function revokeUnstored(ports: Ports, ready: ReadyIntegration, link: Link, raw: Secret) {
  const owner = async () =>
    (await ports.provider.reread({ ...ready, config: link.config }, raw).catch(undefinedIfUnread))?.account
  const isAllowed = await mayRevokeFrom(ports, ready, link, {}, owner).catch(() => false)
  return isAllowed ? ports.provider.revoke(ready, raw) : 'shared'
}

function undefinedIfUnread(error: unknown): undefined {
  if (!(error instanceof DependencyError)) throw error
}

async function mayRevokeFrom(
  ports: Ports,
  ready: ReadyIntegration,
  link: Link,
  origin: KnownOrigin,
  owner: () => Promise<UpstreamAccount | undefined>,
): Promise<boolean> {
  if (ready.integration.revocation.reach === 'token') return true
  const account = await owner()
  // The connection of the re-link may have the same account.
  if (!account && link.kind === 'relink') return false
  const { tenant, integration } = link
  const user = { tenant, integration, account, endUserId: link.endUser.id, exceptLink: link.id }
  return mayRevoke(ports, ready, user, origin)
}

export async function refreshOnce({ ports, ready }: StepContext, link: Link, raw: Secret): Promise<RefreshOutcome> {
  const keep = (answer: Secret) => keepTrialRefresh(ports, link, answer)
  return ports.provider.refresh({ ...ready, raw, keep }).catch((error) => {
    throw error instanceof DependencyError ? ofTrial(error, ready.integration) : error
  })
}

export async function keepTrialRefresh(ports: Ports, link: Link, answer: Secret): Promise<void> {
  const sealed = ports.seal.seal(answer, sealContext.trialRefresh(link))
  if (!(await throughFailover(ports, () => ports.links.keepTrialRefresh(link, sealed)))) throw new LostLink()
}

function ofTrial(error: DependencyError, { rotation }: Integration): DependencyError {
  const isLost = error.cause === 'exchange_unknown'
  if (isLost && rotation === 'none') {
    return new DependencyError('provider_unavailable', { retry: {}, detail: error.detail })
  }
  return isLost || error.cause === 'grant_revoked' || error.cause === 'refresh_refused'
    ? new DependencyError('grant_unusable', { detail: error.cause })
    : error
}
