import type { ImportPorts } from '../../domain/ports/imports.ts'
import type { ProvisioningPorts } from '../../domain/ports/provisioning.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { addImportRows } from './add-import-rows.ts'
import { cancelImport, createImport, listImportRows, listImports, readImport } from './manage-imports.ts'
import { workOnImports } from './work-on-imports.ts'

type Ports = SharedPorts & TenantPorts & ProvisioningPorts & ImportPorts

export const importFlows = (ports: Ports, settings: Settings) => ({
  createImport: createImport(ports),
  readImport: readImport(ports),
  listImports: listImports(ports),
  addImportRows: addImportRows(ports),
  listImportRows: listImportRows(ports),
  cancelImport: cancelImport(ports),
  workOnImports: workOnImports(ports, settings),
})

export type ImportFlows = ReturnType<typeof importFlows>
