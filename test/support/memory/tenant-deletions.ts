import { isEnded } from '../../../src/onboarding/domain/link.ts'
import type { DeletionStep, TenantDeletion } from '../../../src/onboarding/domain/offboarding/tenant-deletion.ts'
import type { TenantDeletions } from '../../../src/onboarding/domain/ports/offboarding.ts'
import { note } from './audit.ts'
import { isOpenSession } from './connect-sessions.ts'
import { oneSuspectOrOthers } from './fair-turns.ts'
import { announce } from './outbox.ts'
import { byTime, change, type DeletionRow, inSeconds, isPast, type Store } from './tables.ts'

const leaseSeconds = 60

export function memoryTenantDeletions(store: Store): TenantDeletions {
  const { deletions, tenants, sessions, links, connections, outbox, deliveries } = store.tables
  const find = async (tenant: string) => read(store, deletions.get(tenant))
  const moved = (
    deletion: TenantDeletion,
    step: DeletionStep,
    dueAt: Date | undefined = inSeconds(store, leaseSeconds),
  ) => {
    const row = deletions.get(deletion.tenant)
    if (row?.fence !== deletion.fence || row.step !== deletion.step) return undefined
    const at = store.now()
    return read(store, change(deletions, deletion.tenant, { step, dueAt, claims: 1, stepSince: at, updatedAt: at }))
  }
  const openSessions = (tenant: string) =>
    [...sessions.values()].filter((row) => row.tenant === tenant && isOpenSession(store, row))
  const openConnections = (tenant: string) =>
    [...connections.values()].filter((row) => row.tenant === tenant && row.status !== 'disconnected')
  return {
    async open(tenant, actor, audit) {
      const status = tenants.get(tenant)?.status
      if (status !== 'active' && status !== 'suspended') return find(tenant)
      const at = store.now()
      change(tenants, tenant, { status: 'deleting', updatedAt: at })
      revokeKeys(store, tenant)
      const times = { startedAt: at, updatedAt: at, stepSince: at, dueAt: inSeconds(store, leaseSeconds) }
      deletions.set(tenant, { tenant, step: 'ending_links', actor, fence: 0, claims: 1, ...times })
      note(store, audit)
      return find(tenant)
    },
    find,
    async claimDue(limit) {
      const due = [...deletions.values()].filter(({ dueAt }) => isPast(store, dueAt))
      const free = due.sort(byTime(({ dueAt }) => dueAt)).slice(0, limit)
      return oneSuspectOrOthers(free, ({ claims }) => claims > 0).map(({ tenant, fence, claims }) => {
        const seconds = Math.min(leaseSeconds * 2 ** claims, 60 * 60)
        const lease = { dueAt: inSeconds(store, seconds), fence: fence + 1, claims: claims + 1 }
        return read(store, change(deletions, tenant, lease)) as TenantDeletion
      })
    },
    move: async (deletion, step) => moved(deletion, step),
    async announce(deletion, event) {
      const at = moved(deletion, 'notifying')
      if (at) announce(store, at.tenant, event)
      return at
    },
    async postpone({ tenant, fence }, delaySeconds) {
      const row = deletions.get(tenant)
      if (row?.fence === fence && row.dueAt)
        change(deletions, tenant, { dueAt: inSeconds(store, delaySeconds), claims: 0 })
    },
    async cancelSessions(tenant, audit) {
      const open = openSessions(tenant)
      for (const { id } of open) change(sessions, id, { cancelledAt: store.now() })
      if (open.length > 0) note(store, audit)
      return open.length
    },
    async hasUnsentMessages(tenant) {
      const isWaiting = [...outbox.values()].some((row) => row.tenant === tenant && row.dueAt)
      return isWaiting || [...deliveries.values()].some((row) => row.tenant === tenant && row.status === 'pending')
    },
    async countOpen(tenant) {
      const openLinks = [...links.values()].filter((row) => row.tenant === tenant && !isEnded(row.state))
      return openSessions(tenant).length + openLinks.length + openConnections(tenant).length
    },
    countConnections: async (tenant) => openConnections(tenant).length,
    async finish(deletion, audit) {
      const done = moved(deletion, 'done')
      if (!done) return undefined
      change(deletions, done.tenant, { dueAt: undefined })
      erase(store, done.tenant)
      note(store, audit)
      return done
    },
  } satisfies Partial<TenantDeletions> as TenantDeletions
}

function revokeKeys({ tables: { apiKeys }, now }: Store, tenant: string): void {
  for (const key of apiKeys.values())
    if (key.tenant === tenant && !key.revokedAt) change(apiKeys, key.id, { revokedAt: now() })
}

function erase(store: Store, tenant: string): void {
  const { tenants, webhooks, deliveries, clients, importRows, logos } = store.tables
  for (const row of [...webhooks.values()]) if (row.tenant === tenant) webhooks.delete(row.id)
  for (const row of [...deliveries.values()]) if (row.tenant === tenant) deliveries.delete(row.id)
  for (const [key, row] of [...importRows]) if (row.tenant === tenant) importRows.delete(key)
  for (const [key, row] of [...clients]) if (row.tenant === tenant) clients.delete(key)
  for (const [key, row] of [...logos]) if (row.tenant === tenant) logos.delete(key)
  revokeKeys(store, tenant)
  const wiped = { signingSecret: undefined, next: undefined, returnUrls: [], logos: {} }
  change(tenants, tenant, { ...wiped, status: 'deleted', updatedAt: store.now() })
}

function read({ now }: Store, row: DeletionRow | undefined): TenantDeletion | undefined {
  if (!row) return undefined
  const { stepSince, dueAt: _dueAt, claims: _claims, ...deletion } = row
  const secondsSince = (at: Date) => (now().getTime() - at.getTime()) / 1_000
  return { ...deletion, ageSeconds: secondsSince(row.startedAt), stepAgeSeconds: secondsSince(stepSince) }
}
