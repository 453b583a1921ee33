// A move is one prepared statement, because moves are most of the cost of a link. An unchanged column gets null.
import { z } from 'zod'
import { type Prepared, Statement, type WireValue } from '../../../../kit/database/prepared.ts'
import { stored } from '../../../../kit/database/stored.ts'
import { auditColumns, auditValues } from '../../../adapters/postgres/audit.ts'
import type { AuditEntry } from '../../../domain/audit/audit-entry.ts'
import {
  clearedMembers,
  isEnded,
  isProvisioning,
  keptMembers,
  type Link,
  type LinkState,
  movedLink,
  type NewLink,
  newLinkDefaults,
  provisioningStates,
} from '../../../domain/link.ts'
import { AliasTaken } from '../../../domain/linking/connection-names.ts'
import type { LinkChanges } from '../../../domain/ports/provisioning.ts'
import { called, callsColumn } from './link-calls.ts'
import { type MoveParts, partsOf, partsText, partsValues } from './link-move-parts.ts'
import { LinkColumns } from './rows.ts'

export async function openLink(
  run: Prepared,
  { expiresInSeconds, ...link }: NewLink,
  audit: AuditEntry,
): Promise<Link | undefined> {
  const row = newColumns.map(([, read]) => read(link))
  const values = [...row, expiresInSeconds, link.sessionId, ...auditValues(audit)]
  const [opened] = stored(OpenedRows, await run(opening, values))
  return opened && { ...link, ...newLinkDefaults, createdAt: opened.created_at, updatedAt: opened.created_at }
}

export async function moveLink(
  run: Prepared,
  link: Link,
  to: LinkState,
  changes: LinkChanges,
  leaseSeconds: number,
  audit: AuditEntry,
): Promise<MovedLink | undefined> {
  const parts = partsOf(changes)
  const rest = isEnded(to) || to === 'needs_attention'
  const row = changedColumns.map(([, , read]) => read(changes))
  const due = rest ? null : (changes.dueInSeconds ?? leaseSeconds)
  const nextAttempt = isProvisioning(to) ? changes.dueInSeconds : undefined
  const own = [link.id, link.state, link.fence]
  const locks = parts.escrow === 'kept' ? [changes.locksUser ?? false] : []
  const values = [to, ...locks, ...row, nextAttempt, due, ...own, ...auditValues(audit), ...partsValues(parts, changes)]
  const [moved] = stored(MovedRows, await run(moving(parts), values).catch(rethrowAliasTaken))
  if (!moved) return undefined
  const times = { nextAttemptAt: moved.next_attempt_at ?? undefined, updatedAt: moved.updated_at }
  return { link: { ...movedLink(link, to, changes), ...times }, locksUser: moved.locks_user }
}

type MovedLink = { link: Link; locksUser: boolean }

const OpenedRows = z.array(z.object({ created_at: z.date() }))

const MovedRows = z.array(
  z.object({ next_attempt_at: z.date().nullable(), updated_at: z.date(), locks_user: z.boolean() }),
)

/** The index also waits for parallel links. The move failed as a whole. */
export function rethrowAliasTaken(error: Error & { constraint?: string }): never {
  throw error.constraint === 'connections_by_alias' ? new AliasTaken() : error
}

const columnOf = (member: string) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const wireValue = (value: unknown): WireValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : (value as WireValue)

type OpenedLink = Omit<NewLink, 'expiresInSeconds'>
type ColumnMember = keyof typeof LinkColumns.shape

/** The other members of a new link have defaults, or come from the session. */
const newMembers = (Object.keys(LinkColumns.shape) as ColumnMember[]).filter(
  (member) => !(member in newLinkDefaults || ['sessionId', 'tenant', 'createdAt', 'updatedAt'].includes(member)),
) as Array<keyof OpenedLink>

const newColumns: Array<[name: string, read: (link: OpenedLink) => WireValue]> = [
  ...newMembers.map((member): (typeof newColumns)[number] => [columnOf(member), (link) => wireValue(link[member])]),
  ['relink', ({ kind }) => kind === 'relink'],
  ['state', () => newLinkDefaults.state],
]

const always = (name: string, at: string) => `${name} = ${at}`
const known = (name: string, at: string) => `${name} = coalesce(${at}, ${name})`
const raised = (name: string, at: string) => `${name} = ${name} + ${at}`

type ColumnChange = [name: string, set: (name: string, at: string) => string, read: (changes: LinkChanges) => WireValue]

const changedColumns: ColumnChange[] = [
  ...clearedMembers.map((member): ColumnChange => [columnOf(member), always, (changes) => changes[member]]),
  ...keptMembers
    .filter((member) => member !== 'account')
    .map((member): ColumnChange => [columnOf(member), known, (changes) => wireValue(changes[member])]),
  ['account_id', known, ({ account }) => account?.id],
  ['account_label', known, ({ account }) => account?.label],
  ['account_claimed', known, ({ account }) => account && (account.claimed ?? false)],
  ['relink', known, ({ relinkOf }) => relinkOf && true],
  ['connection_id', known, ({ relinkOf }) => relinkOf?.connectionId],
  ['connection_name', known, ({ relinkOf }) => relinkOf?.connectionName],
  ['function_name', known, ({ relinkOf }) => relinkOf?.functionName],
  ['waiting_code', always, ({ waitingCode }) => waitingCode?.sealed],
  ['calls', called, ({ calls }) => calls && callsColumn(calls)],
  ['fence', raised, ({ takeOver }) => (takeOver ? 1 : 0)],
]

function numbered(): () => string {
  let last = 0
  return () => `$${++last}`
}

const opening = openingStatement()

function openingStatement(): Statement {
  const next = numbered()
  const names = newColumns.map(([name]) => name)
  const values = newColumns.map(next)
  // The lock waits for a concurrent cancellation.
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
  const { escrow, connected, previous, event, alias } = parts
  const shape = `${escrow}, ${connected}, ${previous}, ${event}, ${alias}`
  const known = statements.get(shape) ?? movingStatement(parts)
  statements.set(shape, known)
  return known
}

function movingStatement(parts: MoveParts): Statement {
  const next = numbered()
  const state = next()
  const locksUser = parts.escrow === 'kept' ? `(locks_user or ${next()}::boolean and ${userIsFree})` : 'locks_user'
  return new Statement(`
    with moved as (
      update links set state = ${state}, locks_user = ${locksUser} and ${state}::text in (${provisioning}), ${changedColumns.map(([name, set]) => set(name, next())).join(', ')},
        ${parts.alias === 'dropped' ? 'alias = null, ' : ''}attempts = 0, takeovers = 0, next_attempt_at = ${inSeconds(next())}, due_at = ${inSeconds(next())}, updated_at = now()
      where id = ${next()} and state = ${next()} and fence = ${next()}
      returning *
    ), ${[noted(next, 'moved'), ...partsText(next, parts)].join(', ')}
    select next_attempt_at, updated_at, locks_user from moved`)
}

const userIsFree = `not exists (
  select from links as other
  where other.tenant = links.tenant and other.integration = links.integration
    and other.end_user ->> 'id' = links.end_user ->> 'id' and other.locks_user
)`

const provisioning = provisioningStates.map((state) => `'${state}'`).join(', ')

function noted(next: () => string, source: string): string {
  const names = auditColumns.map(({ name }) => name)
  const values = auditColumns.map(({ type }) => `${next()}::${type}`)
  return `noted as (insert into audit (${names.join(', ')}) select ${values.join(', ')} from ${source})`
}

function inSeconds(at: string): string {
  return `now() + make_interval(secs => ${at})`
}
