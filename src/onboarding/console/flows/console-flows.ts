// Flows of the support console; for the rest it calls the flows of the other areas.

import type { CampaignFlows } from '../../campaigns/flows/campaign-flows.ts'
import type { ConnectionFlows } from '../../connections/flows/connection-flows.ts'
import type { DoctorFlows } from '../../doctor/flows/doctor-flows.ts'
import type { ConsolePorts } from '../../domain/ports/console.ts'
import type { ProvisioningPorts } from '../../domain/ports/provisioning.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { SupportPorts } from '../../domain/ports/support-ledger.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import type { SharedFlows } from '../../flows/shared-flows.ts'
import type { LinkingFlows } from '../../linking/flows/linking-flows.ts'
import type { OffboardingFlows } from '../../offboarding/flows/offboarding-flows.ts'
import type { ProvisioningFlows } from '../../provisioning/flows/provisioning-flows.ts'
import type { TenantFlows } from '../../tenants/flows/tenant-flows.ts'
import type { WebhookFlows } from '../../webhooks/flows/webhook-flows.ts'
import {
  beginSignIn,
  endAllSessions,
  endSession,
  finishSignIn,
  isStillAuthorized,
  rememberSession,
} from './console-sign-in.ts'
import { exportAudit } from './export-audit.ts'
import { exportConnections, exportLinks } from './export-list.ts'
import { listAudit } from './list-audit.ts'
import { lookAtFunction } from './look-at-function.ts'
import { readHealthByDay, readOverview, search, showConnection, showLink } from './read-support.ts'
import { sendFormOnce } from './send-form-once.ts'
import type { ConsoleSettings } from './sign-in-claims.ts'

type Ports = SharedPorts & TenantPorts & ProvisioningPorts & SupportPorts & ConsolePorts

export const consoleFlows = (ports: Ports, settings: ConsoleSettings) => ({
  beginSignIn: beginSignIn(ports),
  finishSignIn: finishSignIn(ports, settings),
  rememberSession: rememberSession(ports),
  isStillAuthorized: isStillAuthorized(ports, settings),
  endSession: endSession(ports),
  endAllSessions: endAllSessions(ports),
  sendFormOnce: sendFormOnce(ports),

  readOverview: readOverview(ports),
  readHealthByDay: readHealthByDay(ports),
  search: search(ports),
  listConnections: ports.support.connections,
  listLinks: ports.support.links,
  exportConnections: exportConnections(ports),
  exportLinks: exportLinks(ports),
  listDeliveries: ports.support.deliveries,
  listReceivers: ports.support.receivers,
  listAudit: ports.support.audit,
  exportAudit: exportAudit(ports),
  showConnection: showConnection(ports),
  showLink: showLink(ports),
  lookAtFunction: lookAtFunction(ports),
})

/** The API reads the audit log, too, also while the console is off. */
export const auditFlows = (ports: SupportPorts) => ({ listAudit: listAudit(ports) })

/** Flows of the other areas, which the console calls as the API does. */
export type AreaFlows = SharedFlows &
  TenantFlows &
  ProvisioningFlows &
  WebhookFlows &
  LinkingFlows &
  ConnectionFlows &
  CampaignFlows &
  OffboardingFlows &
  DoctorFlows

export type AuditFlows = ReturnType<typeof auditFlows>

export type ConsoleFlows = ReturnType<typeof consoleFlows>
