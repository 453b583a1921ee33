import { exportGrants, type GrantExportNeeds } from './export-grants.ts'
import { type ExportNeeds, exportPage, exportTenant } from './export-tenant.ts'

export const exportFlows = (ports: ExportNeeds & GrantExportNeeds) => ({
  exportPage: exportPage(ports),
  exportTenant: exportTenant(ports),
  /** For an operator's command alone: no route has it. */
  exportGrants: exportGrants(ports),
})

export type ExportFlows = ReturnType<typeof exportFlows>
