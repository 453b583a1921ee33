// Ledger rows for pages about problems that the demo does not have.
import type { Pool } from 'pg'

/** A copy of the first link, whose function the platform rejected. */
export async function addStoppedLink(ledger: Pool): Promise<string> {
  const id = 'lnk_06gstopped00000000000001'
  await ledger.query(
    copyOf('connect_sessions', `where connection_id is null and id in (select session_id from links)`),
    [{ id: 'ses_06gstopped00000000000001', token_digest: 'none' }],
  )
  await ledger.query(copyOf('links', `where state = 'linked' and not relink`), [
    {
      id,
      session_id: 'ses_06gstopped00000000000001',
      connection_id: 'con_06gstopped00000000000001',
      connection_name: 'filebox-stopped',
      function_name: 'filebox-stopped',
      state: 'needs_attention',
      resume_from: 'connection_ready',
      cause: 'platform_refused',
      due_at: null,
    },
  ])
  await ledger.query(
    `insert into audit (at, action, subject_kind, subject_id, facts, actor_kind, tenant, link, request_id)
     select at, case action when 'link.linked' then 'link.needs_attention' else action end, 'link', $1,
       case action when 'link.linked' then '{"cause": "platform_refused"}' else facts end, actor_kind, tenant, $1,
       request_id
     from audit where link = (select id from links where state = 'linked' and not relink order by id limit 1)
       and action <> 'link.function_ready' order by id`,
    [id],
  )
  return id
}

const copyOf = (table: string, which: string) => `
  insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(original) || $1::jsonb)).*
  from (select * from ${table} ${which} order by id limit 1) as original`
