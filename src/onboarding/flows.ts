// Everything that can be asked of this program, area by area.
import { campaignFlows } from './campaigns/flows/campaign-flows.ts'
import { connectionFlows } from './connections/flows/connection-flows.ts'
import { auditFlows } from './console/flows/console-flows.ts'
import { doctorFlows } from './doctor/flows/doctor-flows.ts'
import type { CampaignPorts } from './domain/ports/campaigns.ts'
import type { ConnectionPorts } from './domain/ports/connections.ts'
import type { DoctorPorts } from './domain/ports/doctor.ts'
import type { ImportPorts } from './domain/ports/imports.ts'
import type { LinkingPorts } from './domain/ports/linking.ts'
import type { OffboardingPorts } from './domain/ports/offboarding.ts'
import type { ProvisioningPorts } from './domain/ports/provisioning.ts'
import type { SharedPorts } from './domain/ports/shared.ts'
import type { SupportPorts } from './domain/ports/support-ledger.ts'
import type { TenantPorts } from './domain/ports/tenants.ts'
import type { WebhookPorts } from './domain/ports/webhooks.ts'
import type { Settings } from './domain/settings.ts'
import { exportFlows } from './exports/flows/export-flows.ts'
import { sharedFlows } from './flows/shared-flows.ts'
import { importFlows } from './imports/flows/import-flows.ts'
import { linkingFlows } from './linking/flows/linking-flows.ts'
import { offboardingFlows } from './offboarding/flows/offboarding-flows.ts'
import { provisioningFlows } from './provisioning/flows/provisioning-flows.ts'
import { tenantFlows } from './tenants/flows/tenant-flows.ts'
import { webhookFlows } from './webhooks/flows/webhook-flows.ts'

export type Ports = SharedPorts &
  TenantPorts &
  ProvisioningPorts &
  WebhookPorts &
  LinkingPorts &
  ConnectionPorts &
  ImportPorts &
  CampaignPorts &
  OffboardingPorts &
  DoctorPorts &
  SupportPorts

export const joinFlows = (ports: Ports, settings: Settings) => ({
  ...sharedFlows(ports),
  ...tenantFlows(ports),
  ...provisioningFlows(ports, settings),
  ...webhookFlows(ports, settings),
  ...linkingFlows(ports, settings),
  ...connectionFlows(ports, settings),
  ...importFlows(ports, settings),
  ...campaignFlows(ports, settings),
  ...offboardingFlows(ports, settings),
  ...doctorFlows(ports),
  ...auditFlows(ports),
  ...exportFlows(ports),
})

export type Flows = ReturnType<typeof joinFlows>
