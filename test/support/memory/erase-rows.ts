import type { Actor, Snapshot } from '../../../src/onboarding/domain/audit/audit.ts'
import type { AuditEntry } from '../../../src/onboarding/domain/audit/audit-entry.ts'
import {
  type ErasedGrant,
  type ErasureReceipt,
  linkRevocations,
  type OpenErasure,
} from '../../../src/onboarding/domain/offboarding/erasure.ts'
import { rowName } from './import-rows.ts'
import { change, type Store } from './tables.ts'

type User = Pick<OpenErasure, 'tenant' | 'endUserId'>

export const isOfUser = (user: User, tenant: string, id: string | undefined): boolean =>
  user.tenant === tenant && user.endUserId === id

export function eraseRows(store: Store, erasure: OpenErasure): ErasureReceipt {
  const { tables } = store
  const nobody = { id: erasure.id }
  const isOwn = (row: { tenant: string; endUser: { id: string } }) => isOfUser(erasure, row.tenant, row.endUser.id)
  const sessions = [...tables.sessions.values()].filter(isOwn)
  const pages = [...tables.manageSessions.values()].filter(isOwn)
  const links = [...tables.links.values()].filter(isOwn)
  const connections = [...tables.connections.values()].filter((row) => isOfUser(erasure, row.tenant, row.endUserId))
  const grants = grantsOf(
    store,
    connections.map(({ id }) => id),
    links.map(({ id }) => id),
  )
  for (const { id } of links) {
    const blank = {
      ...noNames,
      account: undefined,
      config: {},
      returnUrl: undefined,
      completionChallenge: undefined,
      browser: '',
    }
    change(tables.links, id, { endUser: nobody, ...blank, waitingCode: undefined, traceparent: undefined, calls: [] })
    tables.escrow.delete(id)
  }
  for (const { id } of connections) eraseConnection(store, erasure, id)
  for (const { id, cancelledAt } of sessions) {
    const blank = { ...noNames, returnUrl: undefined, completionChallenge: undefined, inputs: {} }
    change(tables.sessions, id, { endUser: nobody, ...blank, cancelledAt: cancelledAt ?? store.now() })
  }
  for (const { id } of pages) tables.manageSessions.delete(id)
  const subjects = [...links, ...connections, ...sessions, ...pages].map(({ id }) => id)
  return {
    grants,
    removed: {
      connectSessions: sessions.length,
      manageSessions: pages.length,
      links: links.length,
      connections: connections.length,
      importRows: eraseImportRows(store, erasure),
      events: eraseEvents(store, erasure),
      auditEntries: eraseEntries(store, erasure, new Set(subjects)),
    },
  }
}

const noNames = { alias: undefined, labels: undefined }

function eraseConnection({ tables }: Store, erasure: OpenErasure, connectionId: string): void {
  change(tables.connections, connectionId, { endUserId: erasure.id, account: undefined, config: {}, ...noNames })
  for (const { id, actor } of [...tables.tasks.values()].filter((task) => task.connectionId === connectionId)) {
    change(tables.tasks, id, { reason: undefined, actor: withoutAddress(actor) })
  }
  for (const grant of [...tables.storedGrants.values()].filter((each) => each.connectionId === connectionId)) {
    tables.storedGrants.delete(grant.linkId)
  }
}

/** Only browser addresses are personal data. */
const withoutAddress = (actor: Actor): Actor => (actor.kind === 'browser' ? { ...actor, address: undefined } : actor)

function eraseImportRows({ tables: { importRows } }: Store, erasure: OpenErasure): number {
  const own = [...importRows].filter(([, row]) => isOfUser(erasure, row.tenant, row.endUser.id))
  for (const [name, row] of own) {
    importRows.delete(name)
    const key = `${erasure.id}.${row.position}`
    const blank = {
      ...noNames,
      accountId: undefined,
      config: {},
      digest: '',
      tokenDigest: '',
      fingerprint: '',
      sealed: undefined,
    }
    const state = row.state === 'waiting' ? 'cancelled' : row.state
    importRows.set(rowName(row.importId, key), {
      ...row,
      ...blank,
      key,
      state,
      endUser: { id: erasure.id },
    } as typeof row)
  }
  return own.length
}

function eraseEvents({ tables: { outbox } }: Store, erasure: OpenErasure): number {
  const own = [...outbox.values()].filter((row) => {
    const user = row.payload.endUser as { id: string } | undefined
    return isOfUser(erasure, row.tenant, user?.id)
  })
  for (const { id, payload } of own) {
    const { alias: _, labels: __, ...rest } = payload
    change(outbox, id, { payload: { ...rest, endUser: { id: erasure.id } } })
  }
  return own.length
}

const withoutNames = (snapshot: Snapshot | undefined): Snapshot | undefined =>
  snapshot && {
    ...snapshot,
    ...('account' in snapshot && { account: null }),
    ...('alias' in snapshot && { alias: null }),
  }

function eraseEntries({ tables: { audit } }: Store, { id, tenant }: OpenErasure, subjects: Set<string>): number {
  let erased = 0
  for (const [at, noted] of audit.entries()) {
    const { entry } = noted
    const isAbout = [entry.link, entry.connection, entry.subject?.id].some((each) => each && subjects.has(each))
    if (!isAbout || entry.tenant !== tenant || noted.erasure || !namesSomebody(entry)) continue
    const actor = withoutAddress(entry.actor)
    const change = { before: withoutNames(entry.before), after: withoutNames(entry.after) }
    audit[at] = { ...noted, entry: { ...entry, actor, reason: undefined, ...change } as AuditEntry, erasure: id }
    erased += 1
  }
  return erased
}

const namesSomebody = ({ reason, actor, before, after }: AuditEntry): boolean =>
  reason !== undefined ||
  (actor.kind === 'browser' && actor.address !== undefined) ||
  [before, after].some((snapshot) => Boolean(snapshot?.account ?? snapshot?.alias))

function grantsOf({ tables }: Store, connectionIds: string[], linkIds: string[]): ErasedGrant[] {
  const disconnected = connectionIds.map((connectionId): ErasedGrant => {
    const done = [...tables.tasks.values()].findLast(
      (task) => task.connectionId === connectionId && task.kind === 'disconnect' && task.step === 'done',
    )
    const integration = tables.connections.get(connectionId)?.integration ?? ''
    return { connectionId, integration, revocation: done?.notes.revocation ?? 'not_kept' }
  })
  const failed = linkIds.flatMap((linkId): ErasedGrant[] => {
    const grants = tables.audit.flatMap(({ entry }) =>
      entry.action === 'link.failed' && entry.link === linkId && entry.facts.grant ? [entry.facts.grant] : [],
    )
    const grant = grants.at(-1)
    return grant
      ? [{ linkId, integration: tables.links.get(linkId)?.integration ?? '', revocation: linkRevocations[grant] }]
      : []
  })
  return [...disconnected, ...failed]
}
