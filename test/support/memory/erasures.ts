import { isEnded } from '../../../src/onboarding/domain/link.ts'
import { type Erasure, notifiedUntil, type OpenErasure } from '../../../src/onboarding/domain/offboarding/erasure.ts'
import type { Erasures } from '../../../src/onboarding/domain/ports/offboarding.ts'
import { isInSight } from '../../../src/onboarding/domain/tenant.ts'
import { note } from './audit.ts'
import { eraseRows, isOfUser } from './erase-rows.ts'
import { oneSuspectOrOthers } from './fair-turns.ts'
import { announce } from './outbox.ts'
import { newestFirst } from './pages.ts'
import { byText, byTime, change, type ErasureRow, inSeconds, isPast, type Store } from './tables.ts'

const leaseSeconds = 60

export function memoryErasures(store: Store): Erasures {
  const { erasures, sessions, manageSessions, links, connections, tasks, importRows, outbox, deliveries } = store.tables
  const held = ({ id, fence, step }: OpenErasure) => {
    const row = erasures.get(id)
    return row?.fence === fence && row.step === step ? row : undefined
  }
  const openLinks = (erasure: OpenErasure) =>
    [...links.values()]
      .filter((link) => isOfUser(erasure, link.tenant, link.endUser.id) && !isEnded(link.state))
      .sort(byText(({ id }) => id))
  const openConnections = (erasure: OpenErasure) =>
    [...connections.values()]
      .filter((row) => isOfUser(erasure, row.tenant, row.endUserId) && row.status !== 'disconnected')
      .sort(byText(({ id }) => id))
  return {
    async open(asked, audit) {
      const { tenant, subject } = asked
      const known = [...erasures.values()].find((row) => row.tenant === tenant && row.subject === subject && row.dueAt)
      if (known) return read(store, known)
      const at = store.now()
      const times = { requestedAt: at, updatedAt: at, stepSince: at, finishedAt: undefined }
      const row: ErasureRow = {
        ...asked,
        ...times,
        step: 'ending_links',
        cause: undefined,
        receipt: undefined,
        fence: 0,
        claims: 1,
        dueAt: inSeconds(store, leaseSeconds),
      }
      erasures.set(row.id, row)
      note(store, audit)
      return read(store, row)
    },
    async find(id) {
      const row = erasures.get(id)
      return row && read(store, row)
    },
    async list({ subject, cursor, limit, ...sight }) {
      const wanted = [...erasures.values()].filter(
        (row) => isInSight(sight, row.tenant) && (subject === undefined || row.subject === subject),
      )
      return newestFirst(
        wanted.map((row) => read(store, row)),
        { cursor, limit },
      )
    },
    async claimDue(limit) {
      const due = [...erasures.values()].filter(({ dueAt }) => isPast(store, dueAt))
      const free = due.sort(byTime(({ dueAt }) => dueAt)).slice(0, limit)
      return oneSuspectOrOthers(free, ({ claims }) => claims > 0).map(({ id, fence, claims }) => {
        const seconds = Math.min(leaseSeconds * 2 ** claims, 60 * 60)
        const lease = { dueAt: inSeconds(store, seconds), fence: fence + 1, claims: claims + 1 }
        return read(store, change(erasures, id, lease) as ErasureRow) as OpenErasure
      })
    },
    async move(erasure, step) {
      if (!held(erasure)) return undefined
      const [at, dueAt] = [store.now(), inSeconds(store, leaseSeconds)]
      const moved = change(erasures, erasure.id, {
        step,
        cause: undefined,
        claims: 1,
        dueAt,
        stepSince: at,
        updatedAt: at,
      })
      return read(store, moved as ErasureRow) as OpenErasure
    },
    async postpone({ id, fence }, delaySeconds, cause) {
      const row = erasures.get(id)
      if (row?.fence !== fence || !row.dueAt) return
      change(erasures, id, { dueAt: inSeconds(store, delaySeconds), cause, claims: 0, updatedAt: store.now() })
    },
    async closeSessions(erasure) {
      const at = store.now()
      const isOwn = (row: { tenant: string; endUser: { id: string } }) => isOfUser(erasure, row.tenant, row.endUser.id)
      const open = [...sessions.values()].filter((row) => !row.cancelledAt && !isPast(store, row.expiresAt))
      for (const { id } of open.filter(isOwn)) change(sessions, id, { cancelledAt: at })
      const pages = [...manageSessions.values()].filter((row) => !row.revokedAt)
      for (const { id } of pages.filter(isOwn)) change(manageSessions, id, { revokedAt: at })
      const waiting = [...importRows].filter(([, row]) => row.state === 'waiting' && isOwn(row))
      for (const [name] of waiting) change(importRows, name, { state: 'cancelled', sealed: undefined })
    },
    openLinks: async (erasure, limit) => openLinks(erasure).slice(0, limit),
    openConnections: async (erasure, limit) =>
      openConnections(erasure)
        .slice(0, limit)
        .map(({ id }) => id),
    async blockingCause(erasure) {
      const open = openConnections(erasure).map(({ id }) => id)
      const waiting = [...tasks.values()].filter(({ dueAt, connectionId }) => dueAt && open.includes(connectionId))
      return waiting.sort(byText(({ id }) => id)).find(({ cause }) => cause)?.cause
    },
    async hasUnsentMessages(erasure) {
      const own = [...outbox.values()].filter((row) => isOfUser(erasure, row.tenant, userOf(row.payload)))
      const isPending = (eventId: string) =>
        [...deliveries.values()].some((row) => row.eventId === eventId && row.status === 'pending')
      return own.some(({ id, dueAt }) => dueAt !== undefined || isPending(id))
    },
    async finish(erasure, event, audit) {
      if (!held(erasure)) return undefined
      if (openLinks(erasure).length + openConnections(erasure).length > 0) return 'open'
      const receipt = eraseRows(store, erasure)
      const at = store.now()
      const times = { stepSince: at, updatedAt: at, finishedAt: at, dueAt: undefined }
      const done = { step: 'done' as const, endUserId: undefined, cause: undefined, claims: 0, receipt, ...times }
      const finished = change(erasures, erasure.id, done) as ErasureRow
      announce(store, finished.tenant, event)
      note(store, audit)
      return read(store, finished)
    },
  } satisfies Partial<Erasures> as Erasures
}

const userOf = (payload: Record<string, unknown>): string | undefined =>
  (payload.endUser as { id: string } | undefined)?.id

function read(store: Store, { stepSince, dueAt: _dueAt, claims: _claims, ...erasure }: ErasureRow): Erasure {
  const stepAgeSeconds = (store.now().getTime() - stepSince.getTime()) / 1_000
  const notifying = { webhookIds: awaitedWebhooks(store, erasure), until: notifiedUntil(stepSince) }
  return { ...erasure, stepAgeSeconds, notifying: erasure.step === 'notifying' ? notifying : undefined }
}

function awaitedWebhooks({ tables }: Store, { tenant, endUserId }: Pick<Erasure, 'tenant' | 'endUserId'>): string[] {
  const own = [...tables.outbox.values()].filter(
    (row) => row.tenant === tenant && userOf(row.payload) === endUserId && endUserId !== undefined,
  )
  const pending = [...tables.deliveries.values()].filter(
    ({ eventId, status }) => status === 'pending' && own.some(({ id }) => id === eventId),
  )
  return [...new Set(pending.map(({ webhook }) => webhook))].sort()
}
