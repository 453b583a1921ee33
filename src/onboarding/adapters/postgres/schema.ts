// Columns that several tables have, as schemas of rows; migrations/ makes the tables.
import { z } from 'zod'
import { maybe, type Sql, sql } from '../../../kit/database/sql.ts'
import { actorKinds } from '../../domain/audit/audit.ts'
import { causeCodes } from '../../domain/cause.ts'

export const Count = z.object({ count: z.number() })

/** For statements whose rows say no more than that they are there. */
export const Id = z.object({ id: z.string() })

export const CauseColumn = maybe(z.enum(causeCodes))

export const EndUserColumn = z.object({
  id: z.string(),
  displayName: z.string().optional(),
  email: z.string().optional(),
  locale: z.string().optional(),
})

export const ConfigColumn = z.record(z.string(), z.string())

export const BrandingColumn = z.object({
  accentColor: z.string().optional(),
  supportUrl: z.string().optional(),
  privacyUrl: z.string().optional(),
  termsUrl: z.string().optional(),
  wording: z.record(z.string(), z.object({ intro: z.string().optional(), help: z.string().optional() })).optional(),
})

const LogoColumn = z.object({ digest: z.string(), width: z.number(), height: z.number() })

export const LogosColumn = z.object({ light: LogoColumn.optional(), dark: LogoColumn.optional() })

export const ActorColumn = z.object({
  kind: z.enum(actorKinds),
  id: z.string().optional(),
  name: z.string().optional(),
  requestId: z.string().optional(),
  address: z.string().optional(),
})

export const AccountColumn = maybe(z.object({ id: z.string(), label: z.string() }))

/** Two columns as one; an account without a label is called by its id. */
export const accountOf = (table: 'links' | 'connections'): Sql => {
  const [id, label] = [sql.identifier(`${table}.account_id`), sql.identifier(`${table}.account_label`)]
  return sql`case when ${id} is not null then json_build_object('id', ${id}, 'label', coalesce(${label}, ${id})) end
    as account`
}
