// A move of a link is one statement: the row, its escrow, the audit entry, the connection and the event to tell
// the tenant change together or not at all, in one round trip and one commit. Written as text and prepared: moves
// are most of what a link costs. The texts are few and made once: a move that leaves a part out is another text, but
// one that leaves a column as it is sends null for it.
import { z } from 'zod'
import { type Prepared, Statement, type WireValue } from '../../../../kit/database/prepared.ts'
import { stored } from '../../../../kit/database/stored.ts'
import { auditColumns, auditValues } from '../../../adapters/postgres/audit.ts'
import type { AuditEntry } from '../../../domain/audit/audit-entry.ts'
import {
  isEnded,
  isProvisioning,
  type Link,
  type LinkState,
  newLinkDefaults,
  provisioningStates,
} from '../../../domain/link.ts'
import type { LinkChanges, NewLink } from '../../../domain/ports/provisioning.ts'
import { called, callsColumn } from './link-calls.ts'
import { type MoveParts, partsOf, partsText, partsValues } from './link-move-parts.ts'

/** Undefined when the session already has a link, was cancelled meanwhile, or has expired. */
export async function openLink(run: Prepared, link: NewLink, audit: AuditEntry): Promise<Link | undefined> {
  const row = newColumns.map(([, read]) => read(link))
  const values = [...row, link.expiresInSeconds, link.sessionId, ...auditValues(audit)]
  const [opened] = stored(OpenedRows, await run(opening, values))
  return opened && { ...link, ...newLinkDefaults, createdAt: opened.created_at, updatedAt: opened.created_at }
}

/** Undefined when the link has left its state, or another worker has it. */
export async function moveLink(
  run: Prepared,
  link: Link,
  to: LinkState,
  changes: LinkChanges,
  leaseSeconds: number,
  audit: AuditEntry,
): Promise<Link | undefined> {
  const parts = partsOf(changes)
  const rest = isEnded(to) || to === 'needs_attention'
  const row = changedColumns.map(([, , read]) => read(changes))
  const due = rest ? null : (changes.dueInSeconds ?? leaseSeconds)
  // A worker's step that is to wait is nobody's meanwhile.
  const nextAttempt = isProvisioning(to) ? changes.dueInSeconds : undefined
  const own = [link.id, link.state, link.fence]
  const values = [to, ...row, nextAttempt, due, ...own, ...auditValues(audit), ...partsValues(parts, changes)]
  const [moved] = stored(MovedRows, await run(moving(parts), values))
  return moved && movedLink(link, to, changes, moved)
}

const OpenedRows = z.array(z.object({ created_at: z.date() }))

const MovedRow = z.object({ next_attempt_at: z.date().nullable(), updated_at: z.date() })
const MovedRows = z.array(MovedRow)

const newColumns: Array<[name: string, read: (link: NewLink) => WireValue]> = [
  ['id', ({ id }) => id],
  ['workspace', ({ workspace }) => workspace],
  ['integration', ({ integration }) => integration],
  ['end_user', ({ endUser }) => JSON.stringify(endUser)],
  ['return_url', ({ returnUrl }) => returnUrl],
  ['relink', ({ relink }) => relink],
  ['allow_other_account', ({ allowOtherAccount }) => allowOtherAccount],
  ['if_connected', ({ ifConnected }) => ifConnected],
  ['completion_challenge', ({ completionChallenge }) => completionChallenge],
  ['browser', ({ browser }) => browser],
  ['config', ({ config }) => JSON.stringify(config)],
  ['state', () => newLinkDefaults.state],
  ['connection_id', ({ connectionId }) => connectionId],
  ['connection_name', ({ connectionName }) => connectionName],
  ['function_name', ({ functionName }) => functionName],
  ['traceparent', ({ traceparent }) => traceparent],
]

/** Of a column that the move does not name: `always` sets it to null, `known` leaves it as it is. */
const always = (name: string, at: string) => `${name} = ${at}`
const known = (type: string) => (name: string, at: string) => `${name} = coalesce(${at}::${type}, ${name})`
const raised = (name: string, at: string) => `${name} = ${name} + ${at}`

type ColumnChange = [name: string, set: (name: string, at: string) => string, read: (changes: LinkChanges) => WireValue]

const changedColumns: ColumnChange[] = [
  ['cause', always, ({ cause }) => cause],
  ['resume_from', always, ({ resumeFrom }) => resumeFrom],
  ['waiting_code', always, ({ waitingCode }) => waitingCode?.sealed],
  ['forced_consent', known('boolean'), ({ forcedConsent }) => forcedConsent],
  ['missing_scopes', known('text[]'), ({ missingScopes }) => missingScopes],
  ['granted_scopes', known('text[]'), ({ grantedScopes }) => grantedScopes],
  ['config', known('jsonb'), ({ config }) => config && JSON.stringify(config)],
  ['account_id', known('text'), ({ account }) => account?.id],
  ['account_label', known('text'), ({ account }) => account?.label],
  ['function_url', known('text'), ({ functionUrl }) => functionUrl],
  ['browser', known('text'), ({ browser }) => browser],
  ['relink', known('boolean'), ({ relinkOf }) => relinkOf && true],
  ['connection_id', known('text'), ({ relinkOf }) => relinkOf?.connectionId],
  ['connection_name', known('text'), ({ relinkOf }) => relinkOf?.connectionName],
  ['function_name', known('text'), ({ relinkOf }) => relinkOf?.functionName],
  ['calls', called, ({ calls }) => calls && callsColumn(calls)],
  // Whoever claimed the link before must not write after.
  ['fence', raised, ({ takeOver }) => (takeOver ? 1 : 0)],
]

/** Hands out `$1`, `$2`, … */
function numbered(): () => string {
  let last = 0
  return () => `$${++last}`
}

const opening = openingStatement()

function openingStatement(): Statement {
  const next = numbered()
  const names = newColumns.map(([name]) => name)
  const values = newColumns.map(next)
  // The lock lets a cancellation under way end first.
  return new Statement(`
    with opened as (
      insert into links (session_id, tenant, ${names.join(', ')}, due_at)
      select connect_sessions.id, connect_sessions.tenant, ${values.join(', ')}, ${inSeconds(next())} from connect_sessions
      where connect_sessions.id = ${next()}
        and cancelled_at is null and expires_at > now()
      for share
      on conflict (session_id) do nothing
      returning created_at
    ), ${noted(next, 'opened')}
    select created_at from opened`)
}

const statements = new Map<string, Statement>()

function moving(parts: MoveParts): Statement {
  const { escrow, connected, previous, event } = parts
  const shape = `${escrow}, ${connected}, ${previous}, ${event}`
  const known = statements.get(shape) ?? movingStatement(parts)
  statements.set(shape, known)
  return known
}

function movingStatement(parts: MoveParts): Statement {
  const next = numbered()
  const state = next()
  return new Statement(`
    with moved as (
      update links set state = ${state}, locks_user = locks_user and ${state}::text in (${provisioning}), ${changedColumns.map(([name, set]) => set(name, next())).join(', ')},
        attempts = 0, takeovers = 0, next_attempt_at = ${inSeconds(next())}, due_at = ${inSeconds(next())}, updated_at = now()
      where id = ${next()} and state = ${next()} and fence = ${next()}
      returning *
    ), ${[noted(next, 'moved'), ...partsText(next, parts)].join(', ')}
    select next_attempt_at, updated_at from moved`)
}

/** Whoever waits for a person, or has ended, locks nothing. */
const provisioning = provisioningStates.map((state) => `'${state}'`).join(', ')

/** The audit entry as one more part of a statement; it is written only when `source` yielded a row. */
function noted(next: () => string, source: string): string {
  const names = auditColumns.map(({ name }) => name)
  const values = auditColumns.map(({ type }) => `${next()}::${type}`)
  return `noted as (insert into audit (${names.join(', ')}) select ${values.join(', ')} from ${source})`
}

/** Without a number of seconds, never. */
function inSeconds(at: string): string {
  return `now() + make_interval(secs => ${at})`
}

/** What the row says now, without reading it back: every member that a move can change is known here. */
const movedLink = (link: Link, to: LinkState, changes: LinkChanges, moved: z.infer<typeof MovedRow>): Link => ({
  ...link,
  state: to,
  cause: changes.cause,
  resumeFrom: changes.resumeFrom,
  attempts: 0,
  takeovers: 0,
  nextAttemptAt: moved.next_attempt_at ?? undefined,
  forcedConsent: changes.forcedConsent ?? link.forcedConsent,
  missingScopes: changes.missingScopes ?? link.missingScopes,
  grantedScopes: changes.grantedScopes ?? link.grantedScopes,
  config: changes.config ?? link.config,
  account: changes.account ?? link.account,
  functionUrl: changes.functionUrl ?? link.functionUrl,
  browser: changes.browser ?? link.browser,
  relink: changes.relinkOf ? true : link.relink,
  connectionId: changes.relinkOf?.connectionId ?? link.connectionId,
  connectionName: changes.relinkOf?.connectionName ?? link.connectionName,
  functionName: changes.relinkOf?.functionName ?? link.functionName,
  fence: changes.takeOver ? link.fence + 1 : link.fence,
  updatedAt: moved.updated_at,
})
