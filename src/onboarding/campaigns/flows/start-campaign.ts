import type { Actor } from '../../domain/audit/audit.ts'
import { addressEnds, type Campaign, type CampaignMember, mostMembers } from '../../domain/campaign.ts'
import type { Cause } from '../../domain/cause.ts'
import { accountComparison, type Connection } from '../../domain/connection.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Campaigns, NewMember, RelinkNeedQuery } from '../../domain/ports/campaigns.ts'
import type { StoredGrants } from '../../domain/ports/connections.ts'
import type { IdempotencyClaim, Integrations, RateLimits, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { originOf, reachedLimit } from '../../domain/stored-grant.ts'
import type { Sight } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { inputInvalid } from '../../linking/flows/mint-connect-session.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { readCampaign } from './read-campaigns.ts'
import { sortByClient } from './sort-by-client.ts'

/** Only connections of this tenant or mode, and only of this integration. */
export type StartCampaign = Sight & {
  cause: Cause
  integration?: string | undefined
  ttlSeconds?: number | undefined
  /** Support knows that nothing says whose account comes in where none is known. */
  anyAccount?: boolean | undefined
  actor: Actor
  reason: string
  claim?: IdempotencyClaim | undefined
}

export type StartedCampaign = {
  campaign: Campaign
  /** Each with the URL to send to its user, which is not stored. */
  members: AddressedMember[]
  /** Whoever keeps it can have the same URLs again. By itself it says nothing: they are made with a key of ours, too. */
  seed: string
  /** Connections left for another campaign, because one has a maximum size. */
  remaining: number
  /** Members whose new grant ends another one of the same account, or is refused. */
  atGrantLimit: number
}

export type AddressedMember = CampaignMember & { url: string; expiresAt: Date }

const weekSeconds = 7 * 24 * 60 * 60

type Needs = {
  campaigns: Campaigns
  storedGrants: StoredGrants
  tenants: Tenants
  integrations: Integrations
  tokens: Tokens
  rates: RateLimits
}

/**
 * Creates a re-link session for every connection that broke for one cause and has no open one. Those whose account is not
 * known are left out: whoever gets the address of one would bring their own account in. Support may include them; an API
 * key may where sessions need no completion.
 */
export const startCampaign =
  (needs: Needs, settings: Pick<Settings, 'publicUrl' | 'rates' | 'completion'>) =>
  async (input: StartCampaign): Promise<StartedCampaign> => {
    const { campaigns, tokens, rates } = needs
    const { cause, tenant, testMode, integration, actor, reason, claim, ttlSeconds = weekSeconds } = input
    const seed = claim?.seed ?? tokens.id('idm')
    const { id, tokenFor, urlWith } = seeded({ tokens }, settings, seed)
    const need = { cause, tenant, testMode, integration, pinned: isForPinned(input, settings.completion) }
    const made = claim?.isRetry
      ? await startedBefore(needs, { id, seed, need }, (connection) => urlWith(tokenFor(connection)))
      : undefined
    if (made) return made
    assertTenantNamed(input)
    await limitRate({ rates })(settings.rates.campaign, tenant ?? '*')
    const inNeed = await campaigns.needingRelink({ ...need, limit: mostMembers })
    if (inNeed.length === 0) throw campaignEmpty(need.pinned)
    const { linkable: broken } = await sortByClient(needs, inNeed)
    if (broken.length === 0) throw clientsMissing()
    const remaining = inNeed.length < mostMembers ? 0 : (await campaigns.countNeedingRelink(need)) - inNeed.length
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
    return { campaign, members: addressed, seed, remaining, atGrantLimit: await countAtLimit(needs, broken) }
  }

const seeded = ({ tokens }: { tokens: Tokens }, { publicUrl }: Pick<Settings, 'publicUrl'>, seed: string) => ({
  id: tokens.id('cmp', seed),
  tokenFor: (connection: string) => tokens.fresh(`${seed}|${connection}`),
  urlWith: (token: string) => `${publicUrl}/connect/${token}`,
})

/** The URLs of a campaign once more, for whoever started it and kept its seed. */
export const repeatAddresses =
  (needs: { campaigns: Campaigns; tokens: Tokens }, settings: Pick<Settings, 'publicUrl'>) =>
  async (seed: string): Promise<StartedCampaign> => {
    const { id, tokenFor, urlWith } = seeded(needs, settings, seed)
    const { campaign } = await readCampaign(needs)({ id })
    const again = { id, seed, need: campaign }
    const made = await startedBefore(needs, again, (connection) => urlWith(tokenFor(connection)))
    if (!made) throw missing('campaign')
    return made
  }

/** As for a single re-link: the console has no server of the tenant that could complete a session, so a person answers. */
const isForPinned = ({ actor, anyAccount = false }: StartCampaign, completion: Settings['completion']): boolean =>
  actor.kind === 'support' ? !anyAccount : completion === 'required'

/** A campaign of no tenant belongs to all live ones. */
function assertTenantNamed({ tenant, testMode }: StartCampaign): void {
  if (testMode && tenant === undefined) throw inputInvalid('/tenantId', 'is required in test mode')
}

/** Only integrations whose provider has a limit are counted, each account once. */
async function countAtLimit(needs: Needs, connections: readonly Connection[]): Promise<number> {
  const limited = connections.filter((connection) => needs.integrations.of(connection)?.limits)
  let count = 0
  for (const connection of limited) {
    const ready = await findClient(needs, connection).catch(undefinedIfMissing)
    if (!ready || !connection.account) continue
    const consent = { accountId: connection.account.id, ...originOf(ready) }
    if (reachedLimit(ready.integration, await needs.storedGrants.countLive(consent))) count++
  }
  return count
}

/** Returns what an earlier attempt of the same request created, as it was then: nobody had started. */
async function startedBefore(
  needs: { campaigns: Campaigns },
  { id, seed, need }: { id: string; seed: string; need: RelinkNeedQuery },
  urlFor: (connection: string) => string,
): Promise<StartedCampaign | undefined> {
  const found = await needs.campaigns.find(id)
  if (!found) return undefined
  const { campaign } = found
  const { data } = await needs.campaigns.members(id, { cursor: undefined, limit: mostMembers })
  const asItWas = { linkId: undefined, status: 'open' as const }
  return {
    campaign,
    seed,
    members: data.map((each) => withAddress(campaign, { ...each, ...asItWas }, urlFor(each.connectionId))),
    remaining: data.length < mostMembers ? 0 : await needs.campaigns.countNeedingRelink(need),
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
    `Every connection that needs a re-link for this cause already has a link, or there is none.${
      isForPinned ? ' Connections whose account is not known are left out.' : ''
    }`,
  )

/** A link for each would have been sent, and none would have worked. */
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
