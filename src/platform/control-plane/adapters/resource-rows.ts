import { z } from 'zod'
import { CoreEvent } from '../../../contract/resource.ts'
import { stored } from '../../../kit/database/stored.ts'
import type { ListedResource } from '../domain/listing.ts'
import type { Document } from '../domain/resource.ts'

export const columns = `id, seq, workspace, kind, parent, name, display_name as "displayName", labels, spec, state,
  sealed, status, events, version, created_at as "createdAt", updated_at as "updatedAt",
  created_by as "createdBy", updated_by as "updatedBy"`

const JsonDocument = z.custom<Document>((value) => typeof value === 'object' && value !== null)

const Row = z.object({
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

export const toResource = (row: unknown): ListedResource => stored(Row, row)
