import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { EndUser, LinkState } from '../../../src/onboarding/domain/link.ts'
import { AliasTaken, changedNames } from '../../../src/onboarding/domain/linking/connection-names.ts'
import type { Connections } from '../../../src/onboarding/domain/ports/connections.ts'
import type { StoredGrant } from '../../../src/onboarding/domain/stored-grant.ts'
import { isInSight } from '../../../src/onboarding/domain/tenant.ts'
import { note } from './audit.ts'
import { judged } from './health-checks.ts'
import { fits, newestFirst } from './pages.ts'
import {
  byText,
  type ConnectionRow,
  change,
  emptyConnection,
  inSeconds,
  isPast,
  type Store,
  turnedTo,
} from './tables.ts'

export function memoryConnections(store: Store, briefSeconds = 60): Connections {
  const { connections } = store.tables
  const mayLock = (id: string, holder: string): ConnectionRow | undefined => {
    const row = connections.get(id)
    if (!row || row.status === 'disconnected') return undefined
    return row.lockedBy === holder || !isLocked(store, row) ? row : undefined
  }
  return {
    find: async (id) => {
      const row = connections.get(id)
      return row && toConnection(row)
    },
    named: async (workspace, name) => {
      const row = [...connections.values()].find((each) => each.workspace === workspace && each.name === name)
      return row && toConnection(row)
    },
    async lock(id, holder) {
      if (!mayLock(id, holder)) return false
      change(connections, id, { lockedBy: holder, lockedUntil: undefined })
      return true
    },
    async lockBriefly(id, holder) {
      const row = mayLock(id, holder)
      if (!row) return false
      const until = inSeconds(store, briefSeconds)
      const healthDueAt = row.healthDueAt && row.healthDueAt < until ? row.healthDueAt : until
      change(connections, id, { lockedBy: holder, lockedUntil: until, healthDueAt })
      return true
    },
    async unlock(id, holder) {
      if (connections.get(id)?.lockedBy !== holder) return
      change(connections, id, { lockedBy: undefined, lockedUntil: undefined })
    },
    async list({ cursor, limit, testMode, labels = {}, ...asked }) {
      const hasLabels = (row: ConnectionRow) =>
        Object.entries(labels).every(
          ([key, value]) => row.labels && Object.hasOwn(row.labels, key) && row.labels[key] === value,
        )
      const rows = [...connections.values()].filter(
        (row) => fits(row, asked) && hasLabels(row) && isInSight({ testMode }, row.tenant),
      )
      return newestFirst(rows.map(toConnection), { cursor, limit })
    },
    async inUse(owner, accountId) {
      const own = [...connections.values()].filter((row) => row.status !== 'disconnected' && fits(row, owner))
      const ofAccount = own.filter(({ account }) => accountId !== undefined && account?.id === accountId)
      return {
        count: own.length,
        ofAccount: newestFirst(ofAccount.map(toConnection), { cursor: undefined, limit: 100 }).data,
      }
    },
    async create(created, audit) {
      if (!connections.has(created.id)) {
        assertAliasFree(store, created)
        connections.set(created.id, {
          ...emptyConnection(store),
          ...created,
          account: undefined,
          scopes: [],
          cause: undefined,
          grantEndsAt: undefined,
          ...judged,
          ...turnedTo(store, undefined, 'not_linked'),
          healthDueAt: undefined,
          healthClaims: 0,
        })
        note(store, audit)
      }
      return toConnection(connections.get(created.id) as ConnectionRow)
    },
    async rememberScopes(id, values) {
      change(connections, id, { config: { ...connections.get(id)?.config, ...values } })
    },
    async rename(id, names, audit) {
      const row = connections.get(id)
      if (!row || row.status === 'disconnected') return undefined
      const renamed = { ...row, ...changedNames(row, names), updatedAt: store.now() }
      assertAliasFree(store, renamed)
      connections.set(id, renamed)
      note(store, audit)
      return toConnection(renamed)
    },
    async withAlias(owner, alias) {
      const row = [...connections.values()].find(
        (each) => each.status !== 'disconnected' && fits(each, { ...owner, alias }),
      )
      return row && toConnection(row)
    },
    async pinAccount({ id, grantVersion }, account, audit) {
      const row = connections.get(id)
      if (row?.grantVersion !== grantVersion || row.account || row.status === 'disconnected') return false
      change(connections, id, { account, updatedAt: store.now() })
      const { links, storedGrants } = store.tables
      const isInUse = (grant: StoredGrant) => grant.connectionId === id && grant.slot === 'current'
      for (const { linkId } of [...storedGrants.values()].filter(isInUse)) change(links, linkId, { account })
      note(store, audit)
      return true
    },
    endUser: async (connection) => firstEndUser(store, connection),
  } satisfies Partial<Connections> as Connections
}

type Named = Pick<Connection, 'id' | 'tenant' | 'endUserId' | 'integration' | 'alias'>

export function assertAliasFree({ tables }: Store, { id, tenant, endUserId, integration, alias }: Named): void {
  if (alias === undefined) return
  const isTaken = (row: ConnectionRow) =>
    row.id !== id && row.status !== 'disconnected' && fits(row, { tenant, endUserId, integration, alias })
  if ([...tables.connections.values()].some(isTaken)) throw new AliasTaken()
}

/** A connection stores only the user ID. The link that created it has the name and the email address. */
export function firstEndUser({ tables }: Store, { id, endUserId }: Pick<Connection, 'id' | 'endUserId'>): EndUser {
  const links = [...tables.links.values()].filter(({ connectionId }) => connectionId === id)
  return links.sort(byText((link) => link.id))[0]?.endUser ?? { id: endUserId }
}

/** Links and tasks lock until they end; other holders until a time. */
export function isLocked(store: Store, { lockedBy, lockedUntil }: ConnectionRow): boolean {
  if (lockedBy === undefined) return false
  const { links, tasks } = store.tables
  const link = links.get(lockedBy)
  if (link && !locksNothing.includes(link.state)) return true
  if (tasks.get(lockedBy)?.dueAt) return true
  return lockedUntil !== undefined && !isPast(store, lockedUntil)
}

const locksNothing: LinkState[] = [
  'authorizing',
  'code_waiting',
  'linked',
  'cancelled',
  'denied',
  'abandoned',
  'failed',
  'exchange_unknown',
  'needs_attention',
]

export const toConnection = ({
  lockedBy: _,
  lockedUntil: __,
  healthDueAt: ___,
  ...connection
}: ConnectionRow): Connection => connection
