// A move of a link is one statement: the row, its escrow, the audit entry, the connection and the event to tell
// the tenant change together or not at all, in one round trip and one commit. Written as text and prepared: moves
// are most of what a link costs.
import { Parameters, type Prepared } from '../../../kit/database/prepared.ts'
import type { AuditEntry } from '../../domain/audit.ts'
import { isEnded, type Link, type LinkState, unmoved } from '../../domain/link.ts'
import type { LinkChanges, NewLink } from '../../domain/ports.ts'
import type { Connected } from '../../domain/upkeep-ports.ts'
import { auditRow, auditTypes } from './audit.ts'
import type { LinkTable } from './schema.ts'

export type TimedChanges = LinkChanges & { dueInSeconds: number }

/** Nothing when the session already has a link. */
export async function openLink(run: Prepared, link: NewLink, audit: AuditEntry): Promise<Link | undefined> {
  const given = new Parameters()
  const columns = newRow(link)
  const text = `
    with opened as (
      insert into links (${Object.keys(columns).join(', ')}, due_at)
      values (${given.addAll(Object.values(columns))}, ${inSeconds(given, link.expiresInSeconds)})
      on conflict (session_id) do nothing
      returning created_at
    ), ${noted(given, audit, 'opened')}
    select created_at from opened`
  const [opened] = await run<{ created_at: Date }>(text, given.values)
  return opened && { ...link, ...unmoved, createdAt: opened.created_at, updatedAt: opened.created_at }
}

/** Nothing when the link has left its state, or somebody else holds it. */
export async function moveLink(
  run: Prepared,
  link: Link,
  to: LinkState,
  changes: TimedChanges,
  audit: AuditEntry,
): Promise<Link | undefined> {
  const given = new Parameters()
  const columns = changedColumns(link, to, changes)
  const set = Object.entries(columns).map(([name, value]) => `${name} = ${given.add(value)}`)
  const due = isEnded(to) || to === 'needs_attention' ? 'null' : inSeconds(given, changes.dueInSeconds)
  const text = `
    with moved as (
      update links set ${set.join(', ')}, due_at = ${due}, updated_at = now()
      where id = ${given.add(link.id)} and state = ${given.add(link.state)} and fence = ${given.add(link.fence)}
      returning *
    ), ${[noted(given, audit, 'moved'), ...furtherParts(given, changes)].join(', ')}
    select updated_at from moved`
  const [moved] = await run<{ updated_at: Date }>(text, given.values)
  return moved && movedLink(link, to, changes, moved.updated_at)
}

/** The audit entry as one more part of a statement; it is written only when `source` yielded a row. */
function noted(given: Parameters, audit: AuditEntry, source: string): string {
  const row = auditRow(audit)
  const values = Object.entries(row).map(([name, value]) => `${given.add(value)}::${auditTypes[name] ?? 'text'}`)
  return `noted as (insert into audit (${Object.keys(row).join(', ')}) select ${values.join(', ')} from ${source})`
}

const inSeconds = (given: Parameters, seconds: number) => `now() + make_interval(secs => ${given.add(seconds)})`

function furtherParts(given: Parameters, { escrow, connected, event }: LinkChanges): string[] {
  const parts: string[] = []
  if (escrow === null) {
    parts.push('wiped as (delete from escrow using moved where link_id = moved.id returning escrow.*)')
  }
  if (escrow) {
    parts.push(`kept as (
      insert into escrow (link_id, sealed, fingerprint)
      select id, ${given.add(escrow.sealed)}, ${given.add(escrow.fingerprint ?? null)}::text from moved
      on conflict (link_id) do update
      set sealed = excluded.sealed, fingerprint = coalesce(excluded.fingerprint, escrow.fingerprint)
    )`)
  }
  if (connected) parts.push(connectedPart(given, connected), ...keptParts(given, connected))
  if (event) {
    const values = `${given.add(event.id)}, tenant, ${given.add(event.name)}, ${given.add(JSON.stringify(event.payload))}::jsonb`
    parts.push(`announced as (insert into outbox (id, tenant, event, payload) select ${values} from moved)`)
  }
  return parts
}

const connectedPart = (given: Parameters, { checkInSeconds }: Connected) => `connected as (
  insert into connections (id, tenant, workspace, integration, name, function_name, function_url,
    account_id, account_label, scopes, status, end_user_id, health_due_at)
  select connection_id, tenant, workspace, integration, connection_name, function_name, function_url,
    account_id, account_label, coalesce(granted_scopes, '{}'), 'active', end_user ->> 'id',
    ${inSeconds(given, checkInSeconds)} from moved
  on conflict (id) do update
  set name = excluded.name, function_url = excluded.function_url, account_id = excluded.account_id,
    account_label = excluded.account_label, scopes = excluded.scopes, status = 'active', cause = null,
    grant_version = connections.grant_version + 1, relinked_at = now(), health_due_at = excluded.health_due_at,
    updated_at = now()
)`

/** The envelope moves as it is from the escrow to the grants that are kept; the one in use so far steps back. */
function keptParts(given: Parameters, { keepGrant, clientId, rotates, previousSeconds }: Connected): string[] {
  const [sealed, proof] = keepGrant ? ['sealed', 'proof'] : ['null', 'null']
  const values = `${given.add(clientId)}::text, ${given.add(rotates)}::boolean`
  const kept = `grants as (
    insert into kept_grants (link_id, connection_id, slot, sealed, proof, fingerprint, client_id, rotates)
    select moved.id, moved.connection_id, 'current', ${sealed}, ${proof}, wiped.fingerprint, ${values}
    from moved join wiped on wiped.link_id = moved.id
  )`
  const ofConnection = 'kept_grants.connection_id = moved.connection_id'
  if (previousSeconds === undefined) return [kept]
  if (previousSeconds === 0) return [kept, `ousted as (delete from kept_grants using moved where ${ofConnection})`]
  return [
    kept,
    `ousted as (delete from kept_grants using moved where ${ofConnection} and slot = 'previous')`,
    `stepped_back as (
      update kept_grants set slot = 'previous', keep_until = ${inSeconds(given, previousSeconds)}
      from moved where ${ofConnection} and slot = 'current'
    )`,
  ]
}

type Columns = Partial<Record<keyof LinkTable, unknown>>

function changedColumns(link: Link, to: LinkState, changes: LinkChanges): Columns {
  const columns: Columns = {
    state: to,
    cause: changes.cause ?? null,
    stopped_at: changes.stoppedAt ?? null,
    attempts: 0,
    held_code: changes.heldCode?.sealed ?? null,
    forced_consent: changes.forcedConsent,
    missing_scopes: changes.missingScopes,
    granted_scopes: changes.grantedScopes,
    account_id: changes.account?.id,
    account_label: changes.account?.label,
    function_url: changes.functionUrl,
    browser: changes.browser,
    fence: changes.takeOver ? nextFence(link) : undefined,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

/** Whoever claimed the link before must not write after. */
const nextFence = ({ fence }: Link) => fence + 1

/** What the row says now, without reading it back: every member that a move can change is known here. */
const movedLink = (link: Link, to: LinkState, changes: LinkChanges, updatedAt: Date): Link => ({
  ...link,
  state: to,
  cause: changes.cause,
  stoppedAt: changes.stoppedAt,
  attempts: 0,
  forcedConsent: changes.forcedConsent ?? link.forcedConsent,
  missingScopes: changes.missingScopes ?? link.missingScopes,
  grantedScopes: changes.grantedScopes ?? link.grantedScopes,
  account: changes.account ?? link.account,
  functionUrl: changes.functionUrl ?? link.functionUrl,
  browser: changes.browser ?? link.browser,
  fence: changes.takeOver ? nextFence(link) : link.fence,
  updatedAt,
})

const newRow = (link: NewLink): Columns => ({
  id: link.id,
  session_id: link.sessionId,
  tenant: link.tenant,
  workspace: link.workspace,
  integration: link.integration,
  end_user: JSON.stringify(link.endUser),
  return_url: link.returnUrl ?? null,
  relink: link.relink,
  allow_other_account: link.allowOtherAccount,
  completion_challenge: link.completionChallenge ?? null,
  browser: link.browser,
  state: unmoved.state,
  connection_id: link.connectionId,
  connection_name: link.connectionName,
  function_name: link.functionName,
})
