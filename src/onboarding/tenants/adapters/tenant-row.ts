import { z } from 'zod'
import { sql } from '../../../kit/database/sql.ts'
import { BrandingColumn, LogosColumn } from '../../adapters/postgres/schema.ts'
import { tenantStatuses } from '../../domain/tenant.ts'

export const TenantRow = z.object({
  id: z.string(),
  workspace: z.string(),
  displayName: z.string(),
  returnUrls: z.array(z.string()),
  branding: BrandingColumn,
  logos: LogosColumn,
  maxConnectionsPerUser: z.number(),
  status: z.enum(tenantStatuses),
  createdAt: z.date(),
  updatedAt: z.date(),
})

export const tenantColumns = sql.columns(TenantRow)
