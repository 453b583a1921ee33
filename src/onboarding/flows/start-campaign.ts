import type { Actor } from '../domain/audit.ts'
import { type Campaign, type CampaignMember, mostMembers } from '../domain/campaign.ts'
import type { Cause } from '../domain/cause.ts'
import { Failure } from '../domain/failure.ts'
import type { Once } from '../domain/ports.ts'
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
  once?: Once | undefined
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
  (needs: Needs, settings: Pick<Settings, 'publicUrl' | 'rates'>) =>
  async (input: StartCampaign): Promise<StartedCampaign> => {
    const { campaigns, tokens, rates } = needs
    const { cause, tenant, integration, actor, reason, once, ttlSeconds = weekSeconds } = input
    const id = tokens.id('cmp', once?.seed)
    const tokenFor = (connection: string) => tokens.fresh(once && `${once.seed}|${connection}`)
    const urlWith = (token: string) => `${settings.publicUrl}/connect/${token}`
    const made = once?.again ? await startedBefore(needs, id, (connection) => urlWith(tokenFor(connection))) : undefined
    if (made) return made
    await limitRate({ rates })(settings.rates.campaign, tenant ?? '*')
    const broken = await campaigns.inNeed({ cause, tenant, integration, limit: mostMembers })
    if (broken.length === 0) {
      throw new Failure('campaign_empty', 'No connection needs a re-link for this cause and has no address yet.')
    }
    const minted = broken.map((connection) => ({
      connection,
      sessionId: tokens.id('ses'),
      token: tokenFor(connection.id),
    }))
    const members: NewMember[] = minted.map(({ token, ...member }) => ({
      ...member,
      tokenDigest: tokens.digest(token),
    }))
    const campaign = await campaigns.create({ id, cause, tenant, integration, reason, actor, ttlSeconds }, members, {
      action: 'campaign.started',
      actor,
      tenant,
      reason,
      after: { campaign: id, cause, integration: integration ?? null, members: members.length },
    })
    return { campaign, members: minted.map((each) => ({ ...openMember(each), url: urlWith(each.token) })) }
  }

/** What an earlier try of the same request made, as it was then: nobody had an address yet. */
async function startedBefore(
  { campaigns }: Needs,
  id: string,
  urlFor: (connection: string) => string,
): Promise<StartedCampaign | undefined> {
  const found = await campaigns.find(id)
  if (!found) return undefined
  const { data } = await campaigns.members(id, { cursor: undefined, limit: mostMembers })
  const asItWas = { linkId: undefined, status: 'open' as const }
  return {
    campaign: found.campaign,
    members: data.map((each) => ({ ...each, ...asItWas, url: urlFor(each.connectionId) })),
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
