import type { Actor } from '../../domain/audit/audit.ts'
import { addressEnds, type Campaign, type CampaignMember, maxMembers } from '../../domain/campaign.ts'
import type { Cause } from '../../domain/cause.ts'
import { accountComparison, type Connection } from '../../domain/connection.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { NewMember, RelinkNeedQuery } from '../../domain/ports/campaigns.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'
import { originOf, reachedLimit } from '../../domain/stored-grant.ts'
import type { Sight } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { inputInvalid } from '../../linking/flows/mint-connect-session.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { readCampaign } from './read-campaigns.ts'
import { sortByClient } from './sort-by-client.ts'

export type StartCampaign = Sight & {
  cause: Cause
  integration?: string | undefined
  ttlSeconds?: number | undefined
  /** Support accepts that any account can be linked if none is known. */
  anyAccount?: boolean | undefined
  actor: Actor
  reason: string
  claim?: IdempotencyClaim | undefined
}

type StartedCampaign = {
  campaign: Campaign
  members: AddressedMember[]
  /** Reproduces the URLs. Worthless without the deployment’s key. */
  seed: string
  remaining: number
  atGrantLimit: number
}

export type AddressedMember = CampaignMember & { url: string; expiresAt: Date }

const weekSeconds = 7 * 24 * 60 * 60

/**
 * Creates a re-link session for every connection that broke for one cause and has no open session. Connections with an
 * unknown account are left out, because any recipient of the URL could link their own account. Support may include
 * them; an API key may if sessions need no completion.
 */
export async function startCampaign(ports: Ports, settings: Settings, input: StartCampaign): Promise<StartedCampaign> {
  const { campaigns, tokens, rates } = ports
  const { cause, tenant, testMode, integration, actor, reason, claim, ttlSeconds = weekSeconds } = input
  const seed = claim?.seed ?? tokens.id('idm')
  const { id, tokenFor, urlWith } = seeded({ tokens }, settings, seed)
  const need = { cause, tenant, testMode, integration, pinned: isForPinned(input, settings.completion) }
  const made = claim?.isRetry
    ? await startedBefore(ports, { id, seed, need }, (connection) => urlWith(tokenFor(connection)))
    : undefined
  if (made) return made
  assertTenantNamed(input)
  await limitRate({ rates }, settings.rates.campaign, tenant ?? '*')
  const inNeed = await campaigns.needingRelink({ ...need, limit: maxMembers })
  if (inNeed.length === 0) throw campaignEmpty(need.pinned)
  const { linkable: broken } = await sortByClient(ports, inNeed)
  if (broken.length === 0) throw clientsMissing()
  const remaining = inNeed.length < maxMembers ? 0 : (await campaigns.countNeedingRelink(need)) - inNeed.length
  const sessions = broken.map((connection) => ({
    connection,
    sessionId: tokens.id('ses'),
    token: tokenFor(connection.id),
  }))
  const members: NewMember[] = sessions.map(({ token, ...member }) => ({
    ...member,
    tokenDigest: tokens.digest(token),
  }))
  const campaign = await campaigns.create({ id, cause, tenant, integration, reason, actor, ttlSeconds }, members, {
    action: 'campaign.started',
    actor,
    subject: { kind: 'campaign', id },
    tenant,
    reason,
    facts: { cause, integrationId: integration, members: members.length, remaining, ...accountComparison(...broken) },
  })
  const addressed = sessions.map(({ token, ...member }) => withAddress(campaign, openMember(member), urlWith(token)))
  return { campaign, members: addressed, seed, remaining, atGrantLimit: await countAtLimit(ports, broken) }
}

const seeded = ({ tokens }: Pick<Ports, 'tokens'>, { publicUrl }: Pick<Settings, 'publicUrl'>, seed: string) => ({
  id: tokens.id('cmp', seed),
  tokenFor: (connection: string) => tokens.fresh(`${seed}|${connection}`),
  urlWith: (token: string) => `${publicUrl}/connect/${token}`,
})

export async function repeatAddresses(ports: Ports, settings: Settings, seed: string): Promise<StartedCampaign> {
  const { id, tokenFor, urlWith } = seeded(ports, settings, seed)
  const { campaign } = await readCampaign(ports, { id })
  const again = { id, seed, need: campaign }
  const made = await startedBefore(ports, again, (connection) => urlWith(tokenFor(connection)))
  if (!made) throw missing('campaign')
  return made
}

/** Support has no tenant server that could complete a session, so a person decides. */
const isForPinned = ({ actor, anyAccount = false }: StartCampaign, completion: Settings['completion']): boolean =>
  actor.kind === 'support' ? !anyAccount : completion === 'required'

function assertTenantNamed({ tenant, testMode }: StartCampaign): void {
  if (testMode && tenant === undefined) throw inputInvalid('/tenantId', 'is required in test mode')
}

async function countAtLimit(ports: Ports, connections: readonly Connection[]): Promise<number> {
  const limited = connections.filter((connection) => ports.integrations.of(connection)?.limits)
  let count = 0
  for (const connection of limited) {
    const ready = await findClient(ports, connection).catch(undefinedIfMissing)
    if (!ready || !connection.account) continue
    const consent = { tenant: connection.tenant, account: connection.account, ...originOf(ready) }
    if (reachedLimit(ready.integration, await ports.storedGrants.countLive(consent))) count++
  }
  return count
}

async function startedBefore(
  ports: Ports,
  { id, seed, need }: { id: string; seed: string; need: RelinkNeedQuery },
  urlFor: (connection: string) => string,
): Promise<StartedCampaign | undefined> {
  const found = await ports.campaigns.find(id)
  if (!found) return undefined
  const { campaign } = found
  const { data } = await ports.campaigns.members(id, { cursor: undefined, limit: maxMembers })
  const asItWas = { linkId: undefined, status: 'open' as const }
  return {
    campaign,
    seed,
    members: data.map((each) => withAddress(campaign, { ...each, ...asItWas }, urlFor(each.connectionId))),
    remaining: data.length < maxMembers ? 0 : await ports.campaigns.countNeedingRelink(need),
    atGrantLimit: 0,
  }
}

const withAddress = (campaign: Campaign, member: CampaignMember, url: string): AddressedMember => ({
  ...member,
  url,
  expiresAt: addressEnds(campaign, member),
})

const campaignEmpty = (isForPinned: boolean) =>
  new Failure(
    'campaign_empty',
    `No connection needs a re-link for this cause, or all of them already have a link.${
      isForPinned ? ' Connections with an unknown account are left out.' : ''
    }`,
  )

const clientsMissing = () =>
  new Failure('integration_unavailable', 'No OAuth client is configured for the integrations of these connections.')

const openMember = ({ connection, sessionId }: Omit<NewMember, 'tokenDigest'>): CampaignMember => ({
  connectionId: connection.id,
  connectionName: connection.name,
  tenant: connection.tenant,
  integration: connection.integration,
  endUserId: connection.endUserId,
  accountLabel: connection.account?.label,
  sessionId,
  linkId: undefined,
  status: 'open',
})
