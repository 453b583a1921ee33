import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { z } from 'zod'
import { execute, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { insertUsage } from '../../shared/postgres/usage-events.ts'
import type { Accruals, SnapshotSize } from '../domain/ports.ts'

const metersAtATime = 500

const Image = z.object({ image: z.string() })
const Meter = z.object({ id: z.number() })
const Snapshot = z.object({ meter: z.number(), workspace: z.string(), resourceId: z.string() })

/** Locked in one transaction with their events, so processes can accrue concurrently. Events end at full hours. */
export function postgresAccruals(pool: pg.Pool, { imageMb }: { imageMb: number }): Accruals {
  return {
    accrue: (until) =>
      inTransaction(pool, async (client) => {
        const ids = (await rows(client, Meter, due(until))).map(({ id }) => id)
        if (ids.length > 0) {
          await execute(client, accrueTime(ids, until, imageMb))
          await execute(
            client,
            sql`update usage_meters set accrued_until = greatest(accrued_until, coalesce(ended_at, ${until}))
              where id = any(${ids}::bigint[])`,
          )
          await execute(
            client,
            sql`delete from usage_meters where id = any(${ids}::bigint[]) and accrued_until >= ended_at`,
          )
        }
        return ids.length
      }),

    snapshots: () =>
      rows(
        pool,
        Snapshot,
        sql`select id as meter, workspace, resource_id as "resourceId" from usage_meters
          where dimension = 'sandbox_snapshot_storage_gbs' and ended_at is null order by id`,
      ),

    unmeasuredImages: async () =>
      (
        await rows(
          pool,
          Image,
          sql`select distinct image from usage_meters where image <> '' and megabytes is null and ended_at is null`,
        )
      ).map(({ image }) => image),

    async setImageSize(image, megabytes) {
      await execute(
        pool,
        sql`update usage_meters set megabytes = ${megabytes} where image = ${image} and megabytes is null`,
      )
    },

    async setSize(meter, megabytes) {
      await execute(pool, sql`update usage_meters set megabytes = ${megabytes} where id = ${meter}`)
    },
  }
}

const due = (until: Date): Sql => sql`
  select id from usage_meters where accrued_until < ${until} or ended_at is not null
  order by id limit ${metersAtATime} for update skip locked`

const spans = (ids: readonly number[], until: Date): Sql => sql`
  select m.*, hour, greatest(m.accrued_until, hour) as span_start, least(hour + interval '1 hour', stop) as span_end
  from usage_meters m
  cross join lateral (select coalesce(m.ended_at, ${until}::timestamptz) as stop) s
  cross join lateral generate_series(date_trunc('hour', m.accrued_until, 'UTC'), stop, interval '1 hour') hour
  where m.id = any(${ids}::bigint[])
    and least(hour + interval '1 hour', stop) > greatest(m.accrued_until, hour)`

const resource = sql`workspace, resource_type, resource_name, resource_id as resource_uuid, dimension`

/** Domains are billed by hours, storage by size and time. */
const accrueTime = (ids: readonly number[], until: Date, imageMb: number): Sql =>
  insertUsage(sql`(
    select 'meter-' || id || '-' || to_char(span_start at time zone 'UTC', 'YYYYMMDDHH24MISSMS') as event_id, ${resource},
      quantity, span_start as started_at, span_end as ended_at
    from (${spans(ids, until)}) spans
    cross join lateral (select extract(epoch from span_end - span_start) as seconds) span_length
    cross join lateral (select case dimension
      when 'custom_domain_active_time_hours' then seconds / 3600
      else coalesce(megabytes, ${imageMb}::numeric) / 1024 * seconds end as quantity) billed
    where quantity > 0)`)

/** The size of the sandbox's folder. Links are not followed. */
export const diskSnapshotSize =
  (root: string): SnapshotSize =>
  (workspace, resourceId) =>
    sizeOf(join(root, 'sandboxes', workspace, resourceId))

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []) // a sandbox without a folder
  let bytes = 0
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await sizeOf(path)
    if (entry.isFile())
      bytes += await lstat(path).then(
        ({ size }) => size,
        () => 0,
      )
  }
  return bytes
}
