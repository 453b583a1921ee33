import type { PlatformProbe } from '../../domain/ports/platform.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import { browseCatalogue, readCatalogueItem } from './browse-catalogue.ts'
import { listIntegrations } from './list-integrations.ts'
import { createApiKey, listApiKeys, readApiKey, revokeApiKey } from './manage-api-keys.ts'
import { deleteLogo, putLogo, readLogo } from './manage-logos.ts'
import { deleteOwnClient, listOwnClients, putOwnClient } from './manage-oauth-clients.ts'
import {
  createTenant,
  listTenants,
  putTenant,
  reactivateTenant,
  readTenant,
  rotateSigningSecret,
  suspendTenant,
  updateTenant,
} from './manage-tenants.ts'
import { noteExposedKey } from './note-exposed-key.ts'

type Ports = SharedPorts & TenantPorts & { platformProbe: PlatformProbe }

export const tenantFlows = (ports: Ports) => ({
  createTenant: createTenant(ports),
  putTenant: putTenant(ports),
  updateTenant: updateTenant(ports),
  suspendTenant: suspendTenant(ports),
  reactivateTenant: reactivateTenant(ports),
  readTenant: readTenant(ports),
  rotateSigningSecret: rotateSigningSecret(ports),
  listTenants: listTenants(ports),
  putLogo: putLogo(ports),
  deleteLogo: deleteLogo(ports),
  readLogo: readLogo(ports),
  listOwnClients: listOwnClients(ports),
  putOwnClient: putOwnClient(ports),
  deleteOwnClient: deleteOwnClient(ports),
  listIntegrations: listIntegrations(ports),
  browseCatalogue: browseCatalogue(ports),
  readCatalogueItem: readCatalogueItem(ports),
  noteExposedKey: noteExposedKey(ports),
  createApiKey: createApiKey(ports),
  readApiKey: readApiKey(ports),
  listApiKeys: listApiKeys(ports),
  revokeApiKey: revokeApiKey(ports),
  recordKeyUses: () => ports.apiKeys.recordUses(),
})

export type TenantFlows = ReturnType<typeof tenantFlows>
