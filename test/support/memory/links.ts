import { attemptsAfter } from '../../../src/onboarding/domain/dependency-error.ts'
import {
  backlogStates,
  consentedStates,
  isProvisioning,
  type Link,
  mayMove,
  newLinkDefaults,
  statusOf,
} from '../../../src/onboarding/domain/link.ts'
import { entryOfMove } from '../../../src/onboarding/domain/linking/receipt.ts'
import type { DueLinks, LinkSecrets, Links } from '../../../src/onboarding/domain/ports/provisioning.ts'
import { isInSight } from '../../../src/onboarding/domain/tenant.ts'
import { note } from './audit.ts'
import { linkOf } from './connect-sessions.ts'
import { fairly, oneSuspectOrOthers } from './fair-turns.ts'
import { rowsToStart, startRow } from './import-rows.ts'
import { moveLink, withCalls } from './link-move.ts'
import { fits, newestFirst } from './pages.ts'
import { byText, change, inSeconds, isPast, type LinkRow, type Store } from './tables.ts'

/** A worker that neither moves a link nor dies within `leaseSeconds` has lost it. */
export function memoryLinks(store: Store, leaseSeconds = 30): Links & LinkSecrets {
  const { links, sessions, escrow } = store.tables
  const lockers = new WeakMap<Link, { isUsersFirst: boolean }>()
  const read = (row: LinkRow | undefined) => row && toLink(row)
  /** The row, when the caller is still the one who holds it. */
  const ownRow = ({ id, fence }: Link) => {
    const row = links.get(id)
    return row?.fence === fence ? row : undefined
  }
  return {
    async open({ expiresInSeconds, ...link }, audit) {
      const session = sessions.get(link.sessionId)
      const isOpen = session && !session.cancelledAt && !isPast(store, session.expiresAt)
      if (!isOpen || linkOf(store, link.sessionId)) return undefined
      const times = { createdAt: store.now(), updatedAt: store.now(), dueAt: inSeconds(store, expiresInSeconds) }
      const more = { wrongCompletions: 0, waitingCode: undefined, locksUser: false }
      links.set(link.id, { ...link, ...newLinkDefaults, ...times, ...more })
      note(store, audit)
      return read(links.get(link.id))
    },
    async openImported({ limit }, audit) {
      return rowsToStart(store, limit).map((row) => toLink(startRow(store, row, audit, leaseSeconds)))
    },
    find: async (id) => read(links.get(id)),
    async list({ cursor, limit, status, testMode, ...asked }) {
      const isAsked = (row: LinkRow) =>
        fits(row, asked) &&
        isInSight({ testMode }, row.tenant) &&
        (status === undefined || statusOf(row.state) === status)
      const rows = [...links.values()].filter(isAsked)
      return newestFirst(rows.map(toLink), { cursor, limit })
    },
    async move(link, to, changes, audit) {
      if (!mayMove(link.state, to)) throw new Error(`a link never goes from ${link.state} to ${to}`)
      if (ownRow(link)?.state !== link.state) return undefined
      const isFree = changes.locksUser && ![...links.values()].some((other) => blocks(other, link))
      const moved = moveLink(store, link, to, { ...changes, locksUser: isFree ?? false }, leaseSeconds)
      const entry = entryOfMove(link, to, audit)
      if (entry) note(store, entry)
      const now = toLink(moved)
      if (moved.locksUser) lockers.set(now, { isUsersFirst: changes.locksUser === true && !hasConnection(store, link) })
      return now
    },
    async postpone(link, delaySeconds, cause, calls) {
      const row = ownRow(link)
      if (row?.state !== link.state) return undefined
      const at = inSeconds(store, delaySeconds)
      const waits = {
        dueAt: at,
        nextAttemptAt: at,
        attempts: attemptsAfter(link.attempts, cause),
        takeovers: 0,
        cause,
        calls: withCalls(row, calls),
        updatedAt: store.now(),
      }
      return read(change(links, link.id, waits))
    },
    async keepLease(link) {
      const row = ownRow(link)
      if (row?.state !== link.state || !row.dueAt || row.nextAttemptAt) return false
      change(links, link.id, { dueAt: inSeconds(store, leaseSeconds) })
      return true
    },
    async claimWaiting(link, audit) {
      const row = ownRow(link)
      const isWaiting = row?.nextAttemptAt !== undefined && row.dueAt?.getTime() === row.nextAttemptAt.getTime()
      if (row?.state !== link.state || !isWaiting) return undefined
      note(store, audit)
      return claim(store, row, leaseSeconds, { attempts: Math.max(row.attempts - 1, 0) })
    },
    async claimDue(query) {
      return oneSuspectOrOthers(dueLinks(store, query), ({ takeovers }) => takeovers > 0).map((row) => {
        const isTakeover = isProvisioning(row.state) && !row.nextAttemptAt
        return claim(store, row, leaseSeconds, { takeovers: row.takeovers + (isTakeover ? 1 : 0) })
      })
    },
    async stalledFor(seconds, { after, limit }) {
      const rows = [...links.values()].filter(
        ({ id, state, updatedAt }) =>
          state === 'needs_attention' && updatedAt < inSeconds(store, -seconds) && id > after,
      )
      return rows
        .sort(byText(({ id }) => id))
        .slice(0, limit)
        .map(toLink)
    },
    latestSettled: async ({ integration, tenant, testMode, limit }) =>
      [...links.values()]
        .filter((row) => row.integration === integration && (tenant ?? row.tenant) === row.tenant)
        .filter((row) => row.state !== 'authorizing' && isInSight({ testMode }, row.tenant))
        .sort(byText(({ id }) => id))
        .reverse()
        .slice(0, limit)
        .map(toLink),
    hasConsentUnderWay: async ({ tenant, integration, endUserId, exceptLink = '', exceptConnection = '' }) =>
      [...links.values()].some(
        (row) =>
          row.tenant === tenant &&
          row.id !== exceptLink &&
          row.connectionId !== exceptConnection &&
          row.integration === integration &&
          row.endUser.id === endUserId &&
          (consentedStates as readonly string[]).includes(row.state),
      ),
    hasLockedUser: (link) => lockers.has(link),
    isUsersFirst: (link) => lockers.get(link)?.isUsersFirst ?? false,
    async lockUser(link) {
      const row = ownRow(link)
      if (!row || !isProvisioning(row.state)) return false
      if ([...links.values()].some((other) => blocks(other, row))) return false
      change(links, row.id, { locksUser: true })
      return true
    },
    async backlog(tenant, max) {
      const waits = (row: LinkRow) => (backlogStates as readonly string[]).includes(row.state)
      return Math.min(max, [...links.values()].filter((row) => row.tenant === tenant && waits(row)).length)
    },
    async countWrongCompletion({ id }) {
      const row = links.get(id)
      if (!row) throw new Error('there is no such link')
      const wrongCompletions = row.wrongCompletions + 1
      change(links, id, { wrongCompletions })
      return wrongCompletions
    },
    waitingCode: async (id) => links.get(id)?.waitingCode,
    escrow: async (id) => escrow.get(id),
    async keepTrialRefresh(link, trialRefresh) {
      return ownRow(link) !== undefined && change(escrow, link.id, { trialRefresh }) !== undefined
    },
  } satisfies Partial<Links & LinkSecrets> as Links & LinkSecrets
}

const blocks = (other: LinkRow, link: Link): boolean =>
  other.locksUser && other.id !== link.id && isSameUser(other, link)

const hasConnection = ({ tables }: Store, { tenant, integration, endUser }: Link): boolean =>
  [...tables.connections.values()].some(
    (row) =>
      row.tenant === tenant &&
      row.integration === integration &&
      row.endUserId === endUser.id &&
      row.status !== 'disconnected',
  )

const isSameUser = (a: Link, b: Link): boolean =>
  a.tenant === b.tenant && a.integration === b.integration && a.endUser.id === b.endUser.id

const dueLinks = (store: Store, { limit, perTenant }: DueLinks): LinkRow[] =>
  fairly(
    [...store.tables.links.values()].filter(({ dueAt }) => isPast(store, dueAt)),
    { limit, perTenant },
  )

/** Its previous worker has an old fence now. */
function claim(store: Store, row: LinkRow, leaseSeconds: number, more: Partial<LinkRow> = {}): Link {
  const lease = { dueAt: inSeconds(store, leaseSeconds), nextAttemptAt: undefined, fence: row.fence + 1 }
  return toLink(change(store.tables.links, row.id, { ...lease, ...more }) as LinkRow)
}

const toLink = ({ wrongCompletions, waitingCode, locksUser, dueAt, calls, ...link }: LinkRow): Link => link
