import type { ConsoleSettings } from '../console.ts'
import type { Settings } from '../settings.ts'
import type { AuditChainPorts } from './audit-chain.ts'
import type { CampaignPorts } from './campaigns.ts'
import type { ConnectionPorts } from './connections.ts'
import type { ConsolePorts } from './console.ts'
import type { DoctorPorts } from './doctor.ts'
import type { ImportPorts } from './imports.ts'
import type { IntegrationSettingsPorts } from './integration-settings.ts'
import type { LinkingPorts } from './linking.ts'
import type { OffboardingPorts } from './offboarding.ts'
import type { ProvisioningPorts } from './provisioning.ts'
import type { SharedPorts } from './shared.ts'
import type { SupportPorts } from './support-ledger.ts'
import type { TenantPorts } from './tenants.ts'
import type { WebhookPorts } from './webhooks.ts'

export type Ports = SharedPorts &
  AuditChainPorts &
  TenantPorts &
  ProvisioningPorts &
  WebhookPorts &
  LinkingPorts &
  ConnectionPorts &
  ImportPorts &
  CampaignPorts &
  OffboardingPorts &
  DoctorPorts &
  IntegrationSettingsPorts &
  SupportPorts

export type Deps = { ports: Ports; settings: Settings }

export type ConsoleDeps = { ports: Ports & ConsolePorts; settings: ConsoleSettings }
