import type { CampaignPorts } from '../../domain/ports/campaigns.ts'
import type { ProvisioningPorts } from '../../domain/ports/provisioning.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { cancelCampaign } from './cancel-campaign.ts'
import {
  countCausesOfNeed,
  countNeedingRelink,
  listCampaignMembers,
  listCampaigns,
  readCampaign,
} from './read-campaigns.ts'
import { countClientless } from './sort-by-client.ts'
import { repeatAddresses, startCampaign } from './start-campaign.ts'

type Ports = SharedPorts & TenantPorts & ProvisioningPorts & CampaignPorts

export const campaignFlows = (ports: Ports, settings: Settings) => ({
  startCampaign: startCampaign(ports, settings),
  repeatAddresses: repeatAddresses(ports, settings),
  countClientless: countClientless(ports),
  readCampaign: readCampaign(ports),
  listCampaigns: listCampaigns(ports),
  listCampaignMembers: listCampaignMembers(ports),
  countNeedingRelink: countNeedingRelink(ports),
  countCausesOfNeed: countCausesOfNeed(ports),
  cancelCampaign: cancelCampaign(ports),
})

export type CampaignFlows = ReturnType<typeof campaignFlows>
