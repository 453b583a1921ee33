import { z } from 'zod'
import { maybe, type Sql, sql } from '../../../kit/database/sql.ts'
import { actorKinds } from '../../domain/audit/audit.ts'
import { causeCodes } from '../../domain/cause.ts'
import { AccountValue, ConfigValue, EndUserValue, LabelsValue } from '../../domain/link.ts'

export const Count = z.object({ count: z.number() })

export const Id = z.object({ id: z.string() })

export const CauseColumn = maybe(z.enum(causeCodes))

export const EndUserColumn = EndUserValue

export const ConfigColumn = ConfigValue

export const LabelsColumn = LabelsValue

export const BrandingColumn = z.object({
  accentColor: z.string().optional(),
  supportUrl: z.string().optional(),
  privacyUrl: z.string().optional(),
  termsUrl: z.string().optional(),
  wording: z.record(z.string(), z.object({ intro: z.string().optional(), help: z.string().optional() })).optional(),
})

const LogoColumn = z.object({
  digest: z.string(),
  width: z.number(),
  height: z.number(),
  readableOnDark: z.boolean().optional(),
})

export const LogosColumn = z.object({ light: LogoColumn.optional(), dark: LogoColumn.optional() })

export const ActorColumn = z.object({
  kind: z.enum(actorKinds),
  id: z.string().optional(),
  name: z.string().optional(),
  requestId: z.string().optional(),
  address: z.string().optional(),
})

export const AccountColumn = maybe(AccountValue)

/** SQL version of `isPinned` (domain/relink.ts). */
export const hasPinnedAccount = sql`(connections.account_id is not null and not connections.account_claimed)`

export const accountOf = (table: 'links' | 'connections'): Sql => {
  const [id, label] = [sql.identifier(`${table}.account_id`), sql.identifier(`${table}.account_label`)]
  const claimed = sql.identifier(`${table}.account_claimed`)
  return sql`case when ${id} is not null then json_strip_nulls(json_build_object('id', ${id}, 'label',
    coalesce(${label}, ${id}), 'claimed', nullif(${claimed}, false))) end as account`
}
