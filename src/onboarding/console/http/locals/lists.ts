import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import { type Connection, connectionStatuses } from '../../../domain/connection.ts'
import { type Link, linkStates, linkStateTable } from '../../../domain/link.ts'
import type { Page } from '../../../domain/ports/shared.ts'
import type { ConnectionMatch, SearchResults } from '../../../domain/ports/support-ledger.ts'
import { auditRow } from './audit.ts'
import { causeChoices, causeWords } from './cause-words.ts'
import {
  ago,
  connectionBadge,
  emptyAdvice,
  formatTime,
  integrationNames,
  linkBadge,
  type NameOfIntegration,
  retryWords,
  shown,
} from './words.ts'

type Filter = Record<string, string | undefined>

export type ListInput<T> = { page: Page<T>; filter: Filter; now: Date }

type ByIntegration = { integrations: readonly CatalogueItem[] }

export const connectionsLocals = ({ page, filter, integrations, now }: ListInput<Connection> & ByIntegration) => ({
  title: 'Connections',
  filter,
  emptyAdvice: emptyAdvice(filter),
  statuses: connectionStatuses.map((status) => ({ code: status, title: connectionBadge({ status }).label })),
  causes: causeChoices,
  integrations: choicesOf(integrations, filter.integration),
  rows: page.data.map((connection) => connectionRow(connection, integrationNames(integrations), now)),
})

const connectionRow = (connection: Connection, nameOf: NameOfIntegration, now: Date) => ({
  href: `/support/connections/${connection.id}`,
  name: connection.name,
  tenant: shown(connection.tenant),
  integration: nameOf(connection.integration),
  account: connection.account ? shown(connection.account.label, 80) : '–',
  endUser: shown(connection.endUserId, 80),
  badge: connectionBadge(connection),
  cause: connection.cause ? causeWords(connection.cause).title : undefined,
  since: ago(connection.updatedAt, now),
  at: formatTime(connection.updatedAt),
})

/** A bookmarked filter may name an integration that was removed from the catalogue. */
function choicesOf(integrations: readonly CatalogueItem[], chosen: string | undefined) {
  const choices = integrations
    .filter(({ isLinkable }) => isLinkable)
    .map(({ id, displayName }) => ({ id, displayName }))
  return chosen === undefined || choices.some(({ id }) => id === chosen)
    ? choices
    : [...choices, { id: chosen, displayName: shown(chosen, 80) }]
}

export const linksLocals = ({ page, filter, integrations, now }: ListInput<Link> & ByIntegration) => ({
  title: 'Links',
  filter,
  emptyAdvice: emptyAdvice(filter),
  integrations: choicesOf(integrations, filter.integration),
  states: linkStates.map((state) => ({ code: state, title: linkStateTable[state].label })),
  causes: causeChoices,
  rows: page.data.map((link) => linkRow(link, integrationNames(integrations), now)),
  resume: filter.state === 'needs_attention' && page.data.length > 0 ? resumable(filter) : undefined,
})

function resumable({ cause, tenant, integration, from, to }: Filter) {
  // Resuming does not filter by day, so it would exceed the list.
  if (!cause || from || to) return undefined
  return { fields: { cause, ...(tenant && { tenant }), ...(integration && { integration }) } }
}

export function resumedNotice(resumed: number, hasMore: boolean): string {
  if (resumed === 0) return 'No link needs attention for this cause any more.'
  if (resumed === 1) return 'One link was resumed.'
  return `${resumed} links were resumed${hasMore ? '. Resume again for the others.' : ' and continue in turn.'}`
}

const linkRow = (link: Link, nameOf: NameOfIntegration, now: Date) => ({
  href: `/support/links/${link.id}`,
  id: link.id,
  tenant: shown(link.tenant),
  integration: nameOf(link.integration),
  user: shown(link.endUser.email ?? link.endUser.displayName ?? link.endUser.id, 80),
  badge: linkBadge(link),
  cause: link.cause ? causeWords(link.cause).title : undefined,
  retry: retryWords(link, now),
  since: ago(link.updatedAt, now),
  at: formatTime(link.updatedAt),
})

const matchWords: Record<ConnectionMatch['matchedBy'], string> = {
  id: 'Id',
  name: 'Name',
  account: 'Account',
  user: 'User',
  tenant: 'Tenant',
  workspace: 'Workspace',
  request: 'Request',
}

type SearchInput = ByIntegration & { q: string; found: SearchResults; now: Date }

export function searchLocals({ q, found, integrations, now }: SearchInput) {
  const { connections, links, tenants, record } = found
  const nameOf = integrationNames(integrations)
  return {
    title: q.trim() === '' ? 'Search' : `Search: ${shown(q.trim(), 60)}`,
    q: shown(q),
    isRequestId: q.trim().startsWith('req_'),
    isEmpty: connections.length + links.length + tenants.length + record.length === 0,
    connections: connections.map(({ connection, matchedBy }) => ({
      ...connectionRow(connection, nameOf, now),
      matched: matchWords[matchedBy],
    })),
    links: links.map((link) => linkRow(link, nameOf, now)),
    record: record.map(auditRow),
    recordHref: `/support/audit?requestId=${encodeURIComponent(q.trim())}`,
    tenants: tenants.map(({ id, displayName, workspace }) => ({
      id,
      workspace,
      name: shown(displayName, 80),
      href: `/support/tenants/${encodeURIComponent(id)}`,
    })),
  }
}
