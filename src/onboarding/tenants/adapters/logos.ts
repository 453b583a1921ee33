import type pg from 'pg'
import { z } from 'zod'
import { execute, one, type Queryable, row, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { type Logos, logoSnapshot } from '../../domain/branding/logo.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { assertKept } from '../../domain/tenant.ts'
import { tenantColumns as columns, TenantRow } from './tenant-row.ts'

/** Pictures have a table apart from tenants, which are read for every page. */
export function postgresLogos(pool: pg.Pool): Pick<Tenants, 'putLogo' | 'deleteLogo' | 'logoPng'> {
  return {
    putLogo: (id, scheme, { png, ...logo }, audit) =>
      inTransaction(pool, async (transaction) => {
        const before = await lockedTenant(transaction, id)
        if (!before) return undefined
        await execute(
          transaction,
          sql`
            insert into tenant_logos (tenant, color_scheme, digest, png) values (${id}, ${scheme}, ${logo.digest}, ${png})
            on conflict (tenant, color_scheme)
            do update set digest = excluded.digest, png = excluded.png, created_at = now()`,
        )
        const known = before.logos[scheme]
        const change = { before: known && logoSnapshot(scheme, known), after: logoSnapshot(scheme, logo) }
        await noteAudit(transaction, { ...audit, ...change })
        return setLogos(transaction, id, { ...before.logos, [scheme]: logo })
      }),
    deleteLogo: (id, scheme, audit) =>
      inTransaction(pool, async (transaction) => {
        const before = await lockedTenant(transaction, id)
        const known = before?.logos[scheme]
        if (!before || !known) return undefined
        await execute(transaction, sql`delete from tenant_logos where tenant = ${id} and color_scheme = ${scheme}`)
        await noteAudit(transaction, { ...audit, before: logoSnapshot(scheme, known) })
        return setLogos(transaction, id, { ...before.logos, [scheme]: undefined })
      }),
    // Several tenants may have the same picture.
    logoPng: async (digest) =>
      (await row(pool, PngRow, sql`select png from tenant_logos where digest = ${digest} limit 1`))?.png,
  }
}

/** Locked, so that concurrent changes of both logos don't overwrite each other. */
async function lockedTenant(transaction: Queryable, id: string) {
  const found = await row(
    transaction,
    TenantRow,
    sql`select ${columns} from tenants where id = ${id} for no key update`,
  )
  if (found) assertKept(found)
  return found
}

const setLogos = (transaction: Queryable, id: string, logos: Logos) =>
  one(
    transaction,
    TenantRow,
    sql`
      update tenants set logos = ${JSON.stringify(logos)}, updated_at = now() where id = ${id} returning ${columns}`,
  )

const PngRow = z.object({ png: z.instanceof(Buffer) })
