import type pg from 'pg'
import { z } from 'zod'
import { maybe, prepared, rows, sql } from '../../../kit/database/sql.ts'
import type { Revisions } from '../domain/ports.ts'
import type { Document } from '../domain/resource.ts'
import { revisedKinds } from '../domain/revisions.ts'

const JsonDocument = z.custom<Document>((value) => typeof value === 'object' && value !== null)

const RevisionRow = z.object({
  id: z.string(),
  runtime: JsonDocument,
  sealed: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
})

const Served = z.object({
  id: z.string(),
  workspace: z.string(),
  kind: z.enum(revisedKinds),
  name: z.string(),
  spec: JsonDocument,
  state: JsonDocument,
  status: z.string().nullable(),
  settledAt: z.date(),
  earlier: z.array(
    z.object({
      id: z.string(),
      image: z.string(),
      minScale: maybe(z.number()),
      maxScale: maybe(z.number()),
    }),
  ),
})

export const postgresRevisions = (pool: pg.Pool): Revisions => ({
  earlier: (resource) =>
    rows(
      pool,
      RevisionRow,
      prepared(sql`select ${sql.columns(RevisionRow)} from workload_revisions
        where resource_id = ${resource} order by created_at desc, id`),
    ),

  served: () =>
    rows(
      pool,
      Served,
      sql`select id, workspace, kind, name, jsonb_build_object('runtime', spec -> 'runtime', 'revision', spec -> 'revision',
              'integrationConnections', spec -> 'integrationConnections') as spec, state, status,
            greatest(updated_at, (events -> -1 ->> 'time')::timestamptz) as "settledAt",
            (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'image', coalesce(r.runtime ->> 'image', ''),
                'minScale', r.runtime -> 'minScale', 'maxScale', r.runtime -> 'maxScale')), '[]')
              from workload_revisions r where r.resource_id = resources.id) as earlier
          from resources where kind = any(${[...revisedKinds]}::text[]) and spec #>> '{runtime,image}' <> ''`,
    ),
})
