// A month of usage that was made up, for a demo. All of it belongs to workspaces whose names begin with sample-.
import { z } from 'zod'
import { type Queryable, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { insertUsage } from './usage-events.ts'

/** `perDay` is what the smallest workspace uses on a working day; `grows` is by how much of it that rises in the month. */
const sampleResources = [
  { type: 'mcp_server', name: 'filebox-files', dimension: 'mcp_server_compute_runtime_gbs', perDay: 5_200, grows: 0.6 },
  { type: 'mcp_server', name: 'filebox-files', dimension: 'mcp_server_image_storage_gbs', perDay: 26_000, grows: 0 },
  { type: 'agent', name: 'inbox-helper', dimension: 'agent_compute_runtime_gbs', perDay: 8_400, grows: 0.3 },
  { type: 'agent', name: 'inbox-helper', dimension: 'agent_async_requests_count', perDay: 2_600, grows: 0.3 },
  { type: 'job', name: 'nightly-report', dimension: 'job_compute_runtime_gbs', perDay: 1_900, grows: 0 },
]

const days = 30

/** How many events were added: none if it is there already, because the ids of its events are always the same ones. */
export async function addSampleUsage(db: Queryable): Promise<number> {
  const added = await rows(db, Added, sql`${insertUsage(sql`(${sampleEvents})`)} returning workspace`)
  return added.length
}

const Added = z.object({ workspace: z.string() })

/** Less at weekends, and each workspace twice the size of the one before it, in the order of their names. */
const sampleEvents: Sql = sql`
  select 'sample-' || w.name || '-' || r.type || '-' || r.dimension || '-' || d.day as event_id, w.name as workspace,
    r.type as resource_type, r.name as resource_name, 'sample-' || w.name || '-' || r.name as resource_uuid, r.dimension,
    round((r."perDay" * w.size * (1 + r.grows * (${days} - d.day) / ${days}::numeric)
      * case when extract(isodow from d.at) > 5 then 0.4 else 1 end)::numeric) as quantity,
    d.at as started_at, d.at + interval '1 hour' as ended_at
  from (select name, power(2, row_number() over (order by name) - 1) as size from workspaces
      where starts_with(name, 'sample-')) as w
    cross join jsonb_to_recordset(${JSON.stringify(sampleResources)}::jsonb)
      as r (type text, name text, dimension text, "perDay" numeric, grows numeric)
    cross join lateral (select day, date_trunc('day', now(), 'UTC') - make_interval(days => day) + interval '9 hours' as at
      from generate_series(1, ${days}) as day) as d`
