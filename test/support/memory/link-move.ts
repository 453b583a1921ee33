// The effects of a link move in memory: its row, escrow, connection, grants and event.

import type { LinkOutcome } from '../../../src/onboarding/domain/connection.ts'
import { isEnded, isProvisioning, type Link, type LinkState, movedLink } from '../../../src/onboarding/domain/link.ts'
import { isReceipt } from '../../../src/onboarding/domain/linking/receipt.ts'
import type { LinkChanges } from '../../../src/onboarding/domain/ports/provisioning.ts'
import { maxOutsideCalls, type OutsideCall } from '../../../src/onboarding/domain/trace/outside-call.ts'
import { assertAliasFree } from './connections.ts'
import { judged } from './health-checks.ts'
import { announce } from './outbox.ts'
import {
  type ConnectionRow,
  change,
  type EscrowRow,
  emptyConnection,
  inSeconds,
  type LinkRow,
  type Store,
  turnedTo,
} from './tables.ts'

export function moveLink(store: Store, link: Link, to: LinkState, changes: LinkChanges, leaseSeconds: number): LinkRow {
  const { links } = store.tables
  const before = links.get(link.id) as LinkRow
  const moved = { ...before, ...rowOf(store, before, to, changes, leaseSeconds) }
  if (changes.connected) assertNamesFree(store, moved)
  links.set(link.id, moved)
  const wiped = changeEscrow(store, link.id, changes)
  if (changes.connected) connect(store, moved, changes.connected, wiped)
  if (changes.event) announce(store, moved.tenant, changes.event)
  return moved
}

function rowOf(
  store: Store,
  before: LinkRow,
  to: LinkState,
  changes: LinkChanges,
  leaseSeconds: number,
): Partial<LinkRow> {
  const { dueInSeconds } = changes
  const rests = isEnded(to) || to === 'needs_attention'
  return {
    ...movedLink(before, to, changes),
    waitingCode: changes.waitingCode?.sealed,
    locksUser: (before.locksUser || changes.locksUser === true) && isProvisioning(to),
    nextAttemptAt: isProvisioning(to) && dueInSeconds !== undefined ? inSeconds(store, dueInSeconds) : undefined,
    dueAt: rests ? undefined : inSeconds(store, dueInSeconds ?? leaseSeconds),
    calls: withCalls(before, changes.calls),
    receivedAt: isReceipt(before, to) ? store.now() : undefined,
    updatedAt: store.now(),
  }
}

/** The newest of a link. */
export const withCalls = ({ calls = [] }: LinkRow, made: readonly OutsideCall[] = []): OutsideCall[] =>
  [...calls, ...made].slice(-maxOutsideCalls)

/** Returns the previous escrow if the move wipes it. */
function changeEscrow({ tables: { escrow } }: Store, linkId: string, changes: LinkChanges): EscrowRow | undefined {
  const kept = escrow.get(linkId)
  if (changes.escrow === null) escrow.delete(linkId)
  if (!changes.escrow) return changes.escrow === null ? kept : undefined
  const { fingerprint = kept?.fingerprint, ...given } = changes.escrow
  escrow.set(linkId, { ...given, fingerprint, trialRefresh: kept?.trialRefresh })
  return undefined
}

function connect(store: Store, link: LinkRow, connected: LinkOutcome, wiped: EscrowRow | undefined): void {
  const { connections, storedGrants } = store.tables
  const known = connections.get(link.connectionId)
  const granted = { ...grantedBy(link), ...turnedTo(store, known, 'active') }
  const healthDueAt = inSeconds(store, connected.checkInSeconds)
  if (known) {
    const again = {
      grantVersion: known.grantVersion + (known.status === 'not_linked' ? 0 : 1),
      relinkedAt: store.now(),
      updatedAt: store.now(),
    }
    const names = { alias: known.alias ?? link.alias, labels: known.labels ?? link.labels }
    change(connections, known.id, { ...granted, ...names, ...again, healthDueAt })
  } else connections.set(link.connectionId, { ...newConnection(store, link), ...granted, healthDueAt, healthClaims: 0 })
  retirePrevious(store, link.connectionId, connected.previousSeconds)
  if (!wiped) return
  const secrets = connected.keepGrant ? wiped : { sealed: undefined, trialRefresh: undefined }
  storedGrants.set(link.id, {
    linkId: link.id,
    connectionId: link.connectionId,
    slot: 'current',
    sealed: secrets.sealed,
    trialRefresh: secrets.trialRefresh,
    fingerprint: wiped.fingerprint,
    ...(({ clientId, issuer, tokenEndpoint }) => ({ clientId, issuer, tokenEndpoint }))(
      wiped.clientId === undefined ? connected : wiped,
    ),
    rotates: connected.rotates,
    keepUntil: undefined,
    createdAt: store.now(),
  })
}

/** The columns of a connection that a re-link also changes. */
const grantedBy = (link: LinkRow) => ({
  name: link.connectionName,
  functionUrl: link.functionUrl as string,
  account: link.account,
  scopes: link.grantedScopes ?? [],
  config: link.config,
  cause: undefined,
  ...judged,
  grantEndsAt: undefined,
})

const newConnection = (store: Store, link: LinkRow) => ({
  id: link.connectionId,
  tenant: link.tenant,
  workspace: link.workspace,
  integration: link.integration,
  functionName: link.functionName,
  endUserId: link.endUser.id,
  alias: link.alias,
  labels: link.labels,
  ...emptyConnection(store),
})

/** The grant in use so far steps back for a while, or goes at once; one that stepped back before goes in any case. */
function retirePrevious(store: Store, connectionId: string, seconds: number | undefined): void {
  if (seconds === undefined) return
  const { storedGrants } = store.tables
  for (const grant of [...storedGrants.values()].filter((each) => each.connectionId === connectionId)) {
    if (seconds === 0 || grant.slot === 'previous') storedGrants.delete(grant.linkId)
    else change(storedGrants, grant.linkId, { slot: 'previous', keepUntil: inSeconds(store, seconds) })
  }
}

function assertNamesFree(store: Store, moved: LinkRow): void {
  const { tables } = store
  const { connectionId, workspace, connectionName } = moved
  const isTaken = (row: ConnectionRow) =>
    row.id !== connectionId && row.workspace === workspace && row.name === connectionName
  if ([...tables.connections.values()].some(isTaken)) throw new Error('a connection of this workspace has this name')
  const known = tables.connections.get(connectionId)
  const { tenant, integration, endUser } = moved
  const owned = { id: connectionId, tenant, integration, endUserId: endUser.id }
  assertAliasFree(store, { ...owned, alias: known?.alias ?? moved.alias })
}
