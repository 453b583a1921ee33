import { maxStalled, maxUnderWay } from '../../../src/onboarding/domain/imports/import.ts'
import { newLinkDefaults } from '../../../src/onboarding/domain/link.ts'
import type { ImportedEntry } from '../../../src/onboarding/domain/ports/provisioning.ts'
import { note } from './audit.ts'
import { byText, change, type ImportRowRow, inSeconds, type LinkRow, type Store } from './tables.ts'

export const rowName = (importId: string, key: string) => `${importId}|${key}`

export function rowsToStart(store: Store, limit: number): ImportRowRow[] {
  const { imports, importRows, tenants } = store.tables
  const waiting = (id: string) =>
    [...importRows.values()]
      .filter(({ importId, state }) => importId === id && state === 'waiting')
      .sort((a, b) => a.position - b.position)
  const served = [...imports.values()]
    .filter(
      ({ id, tenant, cancelledAt }) => !cancelledAt && tenants.get(tenant)?.status === 'active' && hasRoom(store, id),
    )
    .filter(({ id }) => waiting(id).length > 0)
    .sort(byText(({ id }) => id))
  const tenantsServed = [...new Set(served.map(({ tenant }) => tenant))]
  // Round-robin: rotate the first tenant.
  const first = store.tables.links.size % Math.max(1, tenantsServed.length)
  const inTurn = [...tenantsServed.slice(first), ...tenantsServed.slice(0, first)]
  const share = (beside: number) => Math.max(1, Math.floor(limit / tenantsServed.length / beside))
  const offered = inTurn.map((tenant) => {
    const own = served.filter((each) => each.tenant === tenant)
    return own.flatMap(({ id }) => waiting(id).slice(0, share(own.length)))
  })
  const rounds = Math.max(0, ...offered.map((rows) => rows.length))
  return Array.from({ length: rounds }, (_, at) => offered.flatMap((rows) => rows.slice(at, at + 1)))
    .flat()
    .slice(0, limit)
}

function hasRoom({ tables: { links } }: Store, importId: string): boolean {
  const own = [...links.values()].filter((link) => link.importId === importId)
  const stalled = own.filter(({ state }) => state === 'needs_attention')
  return own.filter(({ dueAt }) => dueAt).length < maxUnderWay && stalled.length < maxStalled
}

export function startRow(store: Store, row: ImportRowRow, audit: ImportedEntry, leaseSeconds: number): LinkRow {
  const { links, sessions, escrow, importRows } = store.tables
  const sessionId = `ses${row.linkId.slice(3)}`
  const at = store.now()
  const about = { tenant: row.tenant, integration: row.integration, endUser: row.endUser, returnUrl: undefined }
  const none = { completionChallenge: undefined, allowOtherAccount: false, ifConnected: 'add' as const }
  sessions.set(sessionId, {
    ...about,
    ...none,
    id: sessionId,
    tokenDigest: `import:${row.linkId}`,
    connectionId: undefined,
    choices: undefined,
    inputs: row.config,
    expiresAt: at,
    cancelledAt: undefined,
    cause: undefined,
    createdAt: at,
  })
  const link: LinkRow = {
    ...newLinkDefaults,
    ...about,
    ...none,
    id: row.linkId,
    sessionId,
    workspace: row.workspace,
    kind: 'import',
    importId: row.importId,
    browser: '',
    state: 'escrowed',
    config: row.config,
    alias: row.alias,
    labels: row.labels,
    account: row.accountId === undefined ? undefined : { id: row.accountId, label: row.accountId, claimed: true },
    grantedScopes: row.scopes,
    connectionId: row.connectionId,
    connectionName: row.connectionName,
    functionName: row.connectionName,
    dueAt: inSeconds(store, leaseSeconds),
    wrongCompletions: 0,
    waitingCode: undefined,
    locksUser: false,
    createdAt: at,
    updatedAt: at,
  }
  links.set(link.id, link)
  escrow.set(link.id, { sealed: row.sealed as string, trialRefresh: undefined, fingerprint: row.fingerprint })
  change(importRows, rowName(row.importId, row.key), { state: 'started', sealed: undefined })
  const { tenant, connectionId: connection } = row
  note(store, {
    ...audit,
    subject: { kind: 'link', id: link.id },
    tenant,
    link: link.id,
    connection,
    facts: { importId: row.importId },
  })
  return link
}
