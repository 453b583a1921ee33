import { monogram } from '../../../../domain/catalogue/app-icon.ts'
import type { CatalogueItem } from '../../../../domain/catalogue/catalogue-item.ts'
import { causeCodes } from '../../../../domain/cause.ts'
import type { Connection } from '../../../../domain/connection.ts'
import type { EndUser, Link } from '../../../../domain/link.ts'
import type { Page } from '../../../../domain/ports/shared.ts'
import type { ConnectionMatch, PersonMatch } from '../../../../domain/ports/support-ledger.ts'
import type { Found, Listed } from '../../../flows/read-support.ts'
import { auditRow } from '../audit.ts'
import { causeWords } from '../cause-words.ts'
import { personCell } from '../person.ts'
import {
  type AppNamed,
  accountName,
  ago,
  appsIn,
  connectionBadge,
  emptyAdvice,
  formatTime,
  linkBadge,
  linkKindWords,
  retryWords,
  shown,
} from '../words.ts'
import {
  type AppChoices,
  appField,
  dateFields,
  type Filter,
  filterForm,
  filterOptions,
  orderField,
  type Suggested,
  selectField,
  sorted,
  tenantField,
} from './filters.ts'

export type ListInput<T> = { page: Page<T>; filter: Filter; now: Date }

type AppList<T> = {
  list: Listed<T>
  filter: Filter
  integrations: readonly CatalogueItem[]
  apps: AppChoices
  suggested: Suggested
  now: Date
}

export function connectionsLocals({ list, filter, integrations, apps, suggested, now }: AppList<Connection>) {
  const appOf = appsIn(integrations)
  return {
    title: 'Connections',
    about: aboutCause(filter),
    emptyAdvice: emptyAdvice(filter),
    filters: filterForm({
      path: '/support/connections',
      main: [
        tenantField(filter.tenant, suggested),
        appField(filter.integration, apps, suggested),
        selectField('status', filter.status, filterOptions.status),
      ],
      more: [
        selectField('cause', filter.cause, sorted(filterOptions.cause)),
        selectField('health', filter.health, filterOptions.health),
        ...dateFields(filter),
      ],
      order: orderField(filter.order, filterOptions.connectionOrder),
    }),
    rows: list.data.map((connection) => connectionRow(connection, list, appOf, now)),
  }
}

/** A list of one problem begins with what to do about it. */
function aboutCause({ cause }: Filter) {
  const code = causeCodes.find((each) => each === cause)
  return code && causeWords(code)
}

type Names = Omit<Listed<never>, 'data'>

const connectionRow = (connection: Connection, names: Names, appOf: AppNamed, now: Date) => ({
  href: `/support/connections/${connection.id}`,
  ...appOf(connection.integration),
  machineName: connection.name,
  person: personOf(connection, names.endUsers.get(connection.id)),
  account: accountName(connection),
  tenant: tenantCell(connection, names),
  badge: connectionBadge(connection),
  cause: connection.cause && causeWords(connection.cause).title,
  since: ago(connection.statusSince, now),
  at: formatTime(connection.statusSince),
  created: { since: ago(connection.createdAt, now), at: formatTime(connection.createdAt) },
})

const personOf = ({ tenant, endUserId }: Connection, endUser: EndUser | undefined) =>
  personCell({ tenant, endUser: endUser?.id === endUserId ? endUser : { id: endUserId } })

const tenantCell = ({ tenant }: { tenant: string }, { tenantNames }: Names) => ({
  name: shown(tenantNames.get(tenant) ?? tenant, 60),
  href: `/support/tenants/${encodeURIComponent(tenant)}`,
})

export function linksLocals({ list, filter, integrations, apps, suggested, now }: AppList<Link>) {
  const appOf = appsIn(integrations)
  return {
    title: 'Links',
    about: aboutCause(filter),
    emptyAdvice: emptyAdvice(filter),
    filters: filterForm({
      path: '/support/links',
      main: [
        tenantField(filter.tenant, suggested),
        appField(filter.integration, apps, suggested),
        selectField('state', filter.state, filterOptions.state),
      ],
      more: [
        selectField('cause', filter.cause, sorted(filterOptions.cause)),
        selectField('retrying', filter.retrying, filterOptions.retrying),
        ...dateFields(filter),
      ],
      order: orderField(filter.order, filterOptions.linkOrder),
    }),
    rows: list.data.map((link) => linkRow(link, list, appOf, now)),
    resume: filter.state === 'needs_attention' && list.data.length > 0 ? resumable(filter) : undefined,
  }
}

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

const linkRow = (link: Link, names: Names, appOf: AppNamed, now: Date) => ({
  href: `/support/links/${link.id}`,
  ...appOf(link.integration),
  machineName: link.id,
  kind: linkKindWords[link.kind],
  person: personCell(link),
  tenant: tenantCell(link, names),
  badge: linkBadge(link),
  cause: link.cause && causeWords(link.cause).title,
  retry: retryWords(link, now),
  since: ago(link.createdAt, now),
  at: formatTime(link.createdAt),
})

const matchWords: Record<ConnectionMatch['matchedBy'], string> = {
  id: 'ID',
  name: 'name',
  account: 'account',
  user: 'person',
  tenant: 'tenant',
  workspace: 'workspace',
  request: 'request',
}

type SearchInput = { q: string; found: Found; integrations: readonly CatalogueItem[]; now: Date }

export function searchLocals({ q, found, integrations, now }: SearchInput) {
  const { people, connections, links, tenants, record } = found
  const appOf = appsIn(integrations)
  return {
    title: q.trim() === '' ? 'Search' : `Search: ${shown(q.trim(), 60)}`,
    q: shown(q),
    isRequestId: q.trim().startsWith('req_'),
    isEmpty: people.length + connections.length + links.length + tenants.length + record.length === 0,
    people: people.map((person) => personRow(person, found)),
    connections: connections.map(({ connection, matchedBy }) => {
      const { name, tenant, ...row } = connectionRow(connection, found, appOf, now)
      return { ...row, title: name, text: `${tenant.name}, matched by ${matchWords[matchedBy]}` }
    }),
    links: links.map((link) => {
      const { name, tenant, kind, ...row } = linkRow(link, found, appOf, now)
      return { ...row, title: name, text: `${tenant.name}, ${kind.toLowerCase()}` }
    }),
    record: record.map((line) => auditRow(line, now)),
    recordHref: `/support/audit?requestId=${encodeURIComponent(q.trim())}`,
    tenants: tenants.map(({ id, displayName, workspace }) => ({
      href: `/support/tenants/${encodeURIComponent(id)}`,
      icon: monogram(displayName),
      title: shown(displayName, 80),
      text: `Workspace ${workspace}`,
      machineName: id,
    })),
  }
}

function personRow(person: PersonMatch, names: Names) {
  const { href, name, id } = personCell(person)
  const { connections, broken } = person
  const accounts = connections === 1 ? '1 account' : `${connections} accounts`
  return {
    href,
    isRound: true,
    icon: monogram(name),
    title: name,
    text: `${tenantCell(person, names).name}, ${accounts}`,
    machineName: id,
    badge: broken > 0 ? { status: 'needs_attention', label: `${broken} to reconnect` } : undefined,
  }
}
