import type { ConnectionPorts } from '../../domain/ports/connections.ts'
import type { LinkingPorts } from '../../domain/ports/linking.ts'
import type { ProvisioningPorts } from '../../domain/ports/provisioning.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import type { WebhookPorts } from '../../domain/ports/webhooks.ts'
import type { Settings } from '../../domain/settings.ts'
import { checkDueConnections, checkHealth, readHealth } from './check-health.ts'
import { disconnect } from './disconnect.ts'
import { forgetOld } from './forget-old.ts'
import { createFunctionLogin, listFunctionGrants, revokeFunctionGrant } from './function-access.ts'
import { heedGrantProblems } from './heed-grant-problems.ts'
import {
  disconnectOwnConnection,
  endManagePage,
  managedConnection,
  managePageOwner,
  noteForeignForm,
  openManagePage,
  relinkOwnConnection,
  showManagedConnection,
  showManagePage,
} from './manage-connections.ts'
import { mintManageSession, readManageSession, revokeManageSession } from './mint-manage-session.ts'
import { listConnections, readConnection, readTask } from './read-connections.ts'
import { relinkConnection } from './relink-connection.ts'
import { rollback } from './rollback.ts'
import { approveTools, readToolList } from './tool-list.ts'
import { verifyConnection } from './verify-connection.ts'
import { resumeTasks } from './work-on-task.ts'

type Ports = SharedPorts & TenantPorts & ProvisioningPorts & WebhookPorts & LinkingPorts & ConnectionPorts

export const connectionFlows = (ports: Ports, settings: Settings) => ({
  readConnection: readConnection(ports),
  listConnections: listConnections(ports),
  relinkConnection: relinkConnection(ports, settings),
  checkHealth: checkHealth(ports, settings),
  readHealth: readHealth(ports),
  verifyConnection: verifyConnection(ports, settings),
  createFunctionLogin: createFunctionLogin(ports, settings),
  listFunctionGrants: listFunctionGrants(ports),
  revokeFunctionGrant: revokeFunctionGrant(ports),
  readToolList: readToolList(ports),
  approveTools: approveTools(ports),
  rollback: rollback(ports, settings),
  disconnect: disconnect(ports, settings),
  readTask: readTask(ports),
  resumeTasks: resumeTasks(ports, settings),
  checkDueConnections: checkDueConnections(ports, settings),
  heedGrantProblems: heedGrantProblems(ports, settings),
  forgetOld: forgetOld(ports),
  mintManageSession: mintManageSession(ports, settings),
  readManageSession: readManageSession(ports),
  revokeManageSession: revokeManageSession(ports),
  openManagePage: openManagePage(ports),
  showManagePage: showManagePage(ports),
  showManagedConnection: showManagedConnection(ports, settings),
  managedConnection: managedConnection(ports),
  relinkOwnConnection: relinkOwnConnection(ports, settings),
  disconnectOwnConnection: disconnectOwnConnection(ports, settings),
  endManagePage: endManagePage(ports),
  managePageOwner: managePageOwner(ports),
  noteForeignForm: noteForeignForm(ports),
})

export type ConnectionFlows = ReturnType<typeof connectionFlows>
