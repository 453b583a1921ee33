import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import { listIntegrations } from './list-integrations.ts'
import {
  deleteOwnClient,
  listOwnClients,
  listTenants,
  putOwnClient,
  putTenant,
  readTenant,
  rotateSigningSecret,
} from './manage-tenants.ts'

type Ports = SharedPorts & TenantPorts

export const tenantFlows = (ports: Ports) => ({
  putTenant: putTenant(ports),
  readTenant: readTenant(ports),
  rotateSigningSecret: rotateSigningSecret(ports),
  listTenants: listTenants(ports),
  listOwnClients: listOwnClients(ports),
  putOwnClient: putOwnClient(ports),
  deleteOwnClient: deleteOwnClient(ports),
  listIntegrations: listIntegrations(ports),
})

export type TenantFlows = ReturnType<typeof tenantFlows>
