import { z } from 'zod'
import { CoreEvent } from '../../../contract/resource.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Document } from '../domain/resource.ts'

const JsonDocument = z.custom<Document>((value) => typeof value === 'object' && value !== null)

export const ResourceRow = z.object({
  id: z.string(),
  seq: z.number(),
  workspace: z.string(),
  kind: z.string(),
  parent: z.string(),
  name: z.string(),
  displayName: z.string(),
  labels: z.record(z.string(), z.string()),
  spec: JsonDocument,
  state: JsonDocument,
  sealed: z.string().nullable(),
  status: z.string().nullable(),
  events: z.array(CoreEvent),
  version: z.number(),
  createdAt: z.date(),
  updatedAt: z.date(),
  createdBy: z.string(),
  updatedBy: z.string(),
})

export const columns = sql.columns(ResourceRow)
