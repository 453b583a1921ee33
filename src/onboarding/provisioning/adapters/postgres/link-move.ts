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
import { entryOfMove, isReceipt } from '../../../domain/linking/receipt.ts'
import type { LinkChanges } from '../../../domain/ports/provisioning.ts'
import { called, callsColumn } from './link-calls.ts'
import { type MoveParts, partsOf, partsText, partsValues, returnedColumns } from './link-move-parts.ts'
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
  const entry = entryOfMove(link, to, audit)
  const received = isReceipt(link, to)
  const parts = { ...partsOf(changes), received }
  const changed = changedColumns.filter(({ isAlways, read }) => isAlways || read(changes) !== undefined)
  const rest = isEnded(to) || to === 'needs_attention'
  const row = changed.map(({ read }) => read(changes))
  const due = rest ? null : (changes.dueInSeconds ?? leaseSeconds)
  const nextAttempt = isProvisioning(to) ? changes.dueInSeconds : undefined
  const own = [link.id, link.state, link.fence]
  const locks = parts.escrow === 'kept' ? [changes.locksUser ?? false] : []
  const values = [
    to,
    ...locks,
    ...row,
    nextAttempt,
    due,
    ...own,
    ...(entry ? auditValues(entry) : []),
    ...partsValues(parts, changes),
  ]
  const [moved] = stored(MovedRows, await run(moving(parts, changed), values).catch(rethrowAliasTaken))
  if (!moved) return undefined
  const { next_attempt_at: nextAttemptAt, updated_at: updatedAt } = moved
  const receivedAt = received ? updatedAt : undefined
  const times = { nextAttemptAt: nextAttemptAt ?? undefined, receivedAt, updatedAt }
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
  (member) =>
    !(member in newLinkDefaults || ['sessionId', 'tenant', 'receivedAt', 'createdAt', 'updatedAt'].includes(member)),
) as Array<keyof OpenedLink>

const newColumns: Array<[name: string, read: (link: OpenedLink) => WireValue]> = [
  ...newMembers.map((member): (typeof newColumns)[number] => [columnOf(member), (link) => wireValue(link[member])]),
  ['relink', ({ kind }) => kind === 'relink'],
  ['state', () => newLinkDefaults.state],
]

type ColumnChange = {
  name: string
  set(name: string, at: string): string
  isAlways: boolean
  read(changes: LinkChanges): WireValue
}

const simply = (name: string, at: string) => `${name} = ${at}`
const raised = (name: string, at: string) => `${name} = ${name} + ${at}`

const changedColumns: ColumnChange[] = [
  ...clearedMembers.map((member) => always(columnOf(member), (changes) => changes[member])),
  ...keptMembers
    .filter((member) => member !== 'account')
    .map((member) => ifGiven(columnOf(member), (changes) => wireValue(changes[member]))),
  ifGiven('account_id', ({ account }) => account?.id),
  ifGiven('account_label', ({ account }) => account?.label),
  ifGiven('account_claimed', ({ account }) => account && (account.claimed ?? false)),
  ifGiven('relink', ({ relinkOf }) => relinkOf && true),
  ifGiven('connection_id', ({ relinkOf }) => relinkOf?.connectionId),
  ifGiven('connection_name', ({ relinkOf }) => relinkOf?.connectionName),
  ifGiven('function_name', ({ relinkOf }) => relinkOf?.functionName),
  always('waiting_code', ({ waitingCode }) => waitingCode?.sealed),
  ifGiven('calls', ({ calls }) => (calls?.length ? callsColumn(calls) : undefined), called),
  ifGiven('fence', ({ takeOver }) => (takeOver ? 1 : undefined), raised),
]

function always(name: string, read: ColumnChange['read']): ColumnChange {
  return { name, set: simply, isAlways: true, read }
}

function ifGiven(name: string, read: ColumnChange['read'], set = simply): ColumnChange {
  return { name, set, isAlways: false, read }
}

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

type Move = MoveParts & { received: boolean }

/** A column that is not set costs nothing. */
function moving(parts: Move, changed: readonly ColumnChange[]): Statement {
  const { received, escrow, connected, previous, event, alias } = parts
  const columns = changed.map(({ name }) => name)
  const shape = [received, escrow, connected, previous, event, alias, ...columns].join()
  const known = statements.get(shape) ?? movingStatement(parts, changed)
  statements.set(shape, known)
  return known
}

function movingStatement(parts: Move, changed: readonly ColumnChange[]): Statement {
  const next = numbered()
  const state = next()
  const locksUser = parts.escrow === 'kept' ? `(locks_user or ${next()}::boolean and ${userIsFree})` : 'locks_user'
  const columns = changed.map(({ name, set }) => set(name, next()))
  const moved = `
    moved as (
      update links set state = ${state}, locks_user = ${locksUser} and ${state}::text in (${provisioning}), ${columns.join(', ')},
        ${parts.alias === 'dropped' ? 'alias = null, ' : ''}attempts = 0, takeovers = 0, next_attempt_at = ${inSeconds(next())}, due_at = ${inSeconds(next())},
        received_at = ${parts.received ? 'now()' : 'null'}, updated_at = now()
      where id = ${next()} and state = ${next()} and fence = ${next()}
      returning ${returnedColumns(parts)}, next_attempt_at, updated_at, locks_user
    )`
  const entry = parts.received ? [] : [noted(next, 'moved')]
  return new Statement(`
    with ${[moved, ...entry, ...partsText(next, parts)].join(', ')}
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
