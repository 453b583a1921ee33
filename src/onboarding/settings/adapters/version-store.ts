import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, maybe, one, type Queryable, row, rows, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import { ActorColumn } from '../../adapters/postgres/schema.ts'
import type { VersionStore } from '../../domain/ports/integration-settings.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { Entry, SettingsVersion } from '../../domain/settings-changes/settings-version.ts'

type SettingKind = 'integration' | 'tool_policy'

type Box = Pick<SealedBox, 'seal' | 'open'>

export function versionReader(box: Box, kind: SettingKind) {
  return ({ sealed, ...about }: VersionRow): SettingsVersion => ({
    ...about,
    entry: sealed === null ? undefined : EntryText.parse(box.open(sealed, contextOf(kind, about)).reveal()),
  })
}

export function postgresVersionStore(pool: pg.Pool, box: Box, kind: SettingKind): VersionStore {
  const read = versionReader(box, kind)
  const latest = async (db: Queryable, subject: string, condition = sql`true`) => {
    const found = await row(
      db,
      VersionRow,
      sql`select ${versionColumns} from setting_versions
        where kind = ${kind} and subject = ${subject} and ${condition} order by version desc limit 1`,
    )
    return found && read(found)
  }
  return {
    latest: (subject) => latest(pool, subject),
    find: (subject, version) => latest(pool, subject, sql`version = ${version}`),
    async history({ subject, cursor, limit }) {
      const before = cursor === undefined ? sql`true` : sql`version < ${Number(cursor)}`
      const found = await rows(
        pool,
        VersionRow,
        sql`select ${versionColumns} from setting_versions where kind = ${kind} and subject = ${subject} and ${before}
          order by version desc limit ${limit + 1}`,
      )
      return pageOf(found.map(read), limit, ({ version }) => String(version))
    },
    append: ({ subject, entry, actor, reason, restores }, base, audit) =>
      inTransaction(pool, async (transaction) => {
        // One writer at a time, so that versions are committed in their order.
        await execute(transaction, sql`lock table setting_versions in share row exclusive mode`)
        if (((await latest(transaction, subject))?.version ?? 0) !== base) return undefined
        const version = (await one(transaction, Newest, newestVersion)).version + 1
        const sealed = entry && box.seal(new Secret(JSON.stringify(entry)), contextOf(kind, { subject, version }))
        const { kind: who, id, name } = actor
        const made = await one(
          transaction,
          VersionRow,
          sql`
            insert into setting_versions (version, kind, subject, tenant, client_id, sealed, actor, reason, restores)
            values (${version}, ${kind}, ${subject}, ${audit.tenant ?? null}, ${clientIdOf(entry) ?? null},
              ${sealed ?? null}, ${JSON.stringify({ kind: who, id, name })}, ${reason ?? null}, ${restores ?? null})
            returning ${versionColumns}`,
        )
        await noteAudit(transaction, { ...audit, facts: { ...audit.facts, version } } as typeof audit)
        return read(made)
      }),
  }
}

export const newestVersion = sql`select coalesce(max(version), 0) as version from setting_versions`

export const Newest = z.object({ version: z.coerce.number() })

export const VersionRow = z.object({
  version: z.coerce.number(),
  subject: z.string(),
  sealed: z.string().nullable(),
  actor: ActorColumn,
  reason: maybe(z.string()),
  restores: maybe(z.coerce.number()),
  changedAt: z.date(),
})
type VersionRow = z.output<typeof VersionRow>

export const versionColumns = sql.columns(VersionRow)

const EntryText = z.preprocess((text) => JSON.parse(String(text)), z.record(z.string(), z.unknown()))

const contextOf = (kind: SettingKind, { subject, version }: Pick<SettingsVersion, 'subject' | 'version'>) =>
  sealContext.setting({ kind, subject, version: String(version) })

export const clientIdOf = (entry: Entry | undefined): string | undefined =>
  typeof entry?.clientId === 'string' ? entry.clientId : undefined
