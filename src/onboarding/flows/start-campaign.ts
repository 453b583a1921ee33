import type { Actor } from '../domain/audit.ts'
import { type Campaign, type CampaignMember, mostMembers } from '../domain/campaign.ts'
import type { Cause } from '../domain/cause.ts'
import { Failure } from '../domain/failure.ts'
import type { NewMember } from '../domain/upkeep-ports.ts'
import type { Adapters, Settings } from './adapters.ts'
import { limitRate } from './limit-rate.ts'

export type StartCampaign = {
  cause: Cause
  /** Only connections of this tenant, and only of this integration. */
  tenant?: string | undefined
  integration?: string | undefined
  ttlSeconds?: number | undefined
  actor: Actor
  reason: string
}

export type StartedCampaign = {
  campaign: Campaign
  /** Each with the address to send to its user; this is the only time it can be seen. */
  members: Array<CampaignMember & { url: string }>
}

const weekSeconds = 7 * 24 * 60 * 60

type Needs = Pick<Adapters, 'campaigns' | 'tokens' | 'rates'>

/** Mints a re-link for every connection that broke for one cause and has no address yet. */
export const startCampaign =
  ({ campaigns, tokens, rates }: Needs, settings: Pick<Settings, 'publicUrl' | 'rates'>) =>
  async (input: StartCampaign): Promise<StartedCampaign> => {
    const { cause, tenant, integration, actor, reason, ttlSeconds = weekSeconds } = input
    await limitRate({ rates })(settings.rates.campaign, tenant ?? '*')
    const broken = await campaigns.inNeed({ cause, tenant, integration, limit: mostMembers })
    if (broken.length === 0) {
      throw new Failure('campaign_empty', 'No connection needs a re-link for this cause and has no address yet.')
    }
    const minted = broken.map((connection) => ({ connection, sessionId: tokens.id('ses'), token: tokens.fresh() }))
    const members: NewMember[] = minted.map(({ token, ...member }) => ({
      ...member,
      tokenDigest: tokens.digest(token),
    }))
    const id = tokens.id('cmp')
    const campaign = await campaigns.create({ id, cause, tenant, integration, reason, actor, ttlSeconds }, members, {
      action: 'campaign.started',
      actor,
      tenant,
      reason,
      after: { campaign: id, cause, integration: integration ?? null, members: members.length },
    })
    return {
      campaign,
      members: minted.map((each) => ({ ...openMember(each), url: `${settings.publicUrl}/connect/${each.token}` })),
    }
  }

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
