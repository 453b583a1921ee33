import { relinkObstacle } from '../../connections/flows/relink-connection.ts'
import { rollbackObstacle } from '../../connections/flows/rollback.ts'
import { type Actor, peopleKinds } from '../../domain/audit/audit.ts'
import type { Connection, ConnectionStatus } from '../../domain/connection.ts'
import { missing } from '../../domain/failure.ts'
import type { HealthCheck } from '../../domain/health/health.ts'
import type { Integration } from '../../domain/integration.ts'
import type { EndUser, Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import {
  type AuditLine,
  anyAudit,
  type Backlogs,
  type ConnectionFilter,
  type ConnectionSort,
  type FunctionState,
  type GrantTrace,
  type HealthDay,
  type LinkCount,
  type LinkFilter,
  type LinkSort,
  type LinkTimeline,
  type OpenAddress,
  type Person,
  type PersonRecord,
  type ProblemGroup,
  type RetryGroup,
  type SearchResults,
  type Sorted,
  type TaskTrace,
} from '../../domain/ports/support-ledger.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { OutsideCall } from '../../domain/trace/outside-call.ts'
import { undefinedIfMissing } from '../../tenants/flows/find-client.ts'

export type Overview = {
  problems: ProblemGroup[]
  retries: RetryGroup[]
  linksByDay: LinkCount[]
  days: number
  backlogs: Backlogs
  now: Date
}

const days = 14

export async function readOverview({ support, now }: Ports): Promise<Overview> {
  const [problems, retries, linksByDay, backlogs] = await Promise.all([
    support.problems(),
    support.retries(),
    support.linksByDay(days),
    support.backlogs(),
  ])
  return { problems, retries, linksByDay, days, backlogs, now: now() }
}

export type HealthByDay = { counts: HealthDay[]; days: number; now: Date }

const healthDays = 30

export const readHealthByDay = async ({ support, now }: Ports, integration: string): Promise<HealthByDay> => ({
  counts: await support.healthByDay(integration, healthDays),
  days: healthDays,
  now: now(),
})

export type Listed<T> = { data: T[]; endUsers: ReadonlyMap<string, EndUser>; tenantNames: ReadonlyMap<string, string> }

export type Found = SearchResults & Omit<Listed<never>, 'data'>

export async function search({ support }: Ports, text: string): Promise<Found> {
  const found = await support.search(text.slice(0, 200), 12)
  const { people, connections, links } = found
  const rows = [...people, ...connections.map(({ connection }) => connection), ...links]
  const [endUsers, tenantNames] = await Promise.all([
    support.endUsers(connections.map(({ connection }) => connection.id)),
    support.tenantNames(tenantsOf(rows)),
  ])
  return { ...found, endUsers, tenantNames }
}

/** Returns the user if they are the only exact match: the search then opens their page. */
export function personMeant({ people, tenants }: SearchResults): Person | undefined {
  const exact = people.filter(({ isExact }) => isExact)
  return exact.length === 1 && tenants.length === 0 ? exact[0] : undefined
}

export async function listConnections(
  { support }: Ports,
  query: ConnectionFilter & Sorted<ConnectionSort>,
): Promise<Page<Connection> & Listed<Connection>> {
  const page = await support.connections(query)
  const [endUsers, tenantNames] = await Promise.all([
    support.endUsers(page.data.map(({ id }) => id)),
    support.tenantNames(tenantsOf(page.data)),
  ])
  return { ...page, endUsers, tenantNames }
}

export async function listLinks(
  { support }: Ports,
  query: LinkFilter & Sorted<LinkSort>,
): Promise<Page<Link> & Listed<Link>> {
  const page = await support.links(query)
  return { ...page, endUsers: new Map(), tenantNames: await support.tenantNames(tenantsOf(page.data)) }
}

const maxSuggestedTenants = 200

/** The suggestions for the filters of a list. */
export async function readSuggested({ support }: Ports) {
  const [tenants, integrations] = await Promise.all([
    support.tenantsByName(maxSuggestedTenants),
    support.integrationsInUse(),
  ])
  return { tenants, integrations }
}

const tenantsOf = (rows: readonly { tenant: string }[]): string[] => [...new Set(rows.map(({ tenant }) => tenant))]

export type ConnectionDetails = {
  connection: Connection
  tenant: Tenant | undefined
  integration: Integration | undefined
  timelines: LinkTimeline[]
  hasOlderLinks: boolean
  health: HealthCheck[]
  hasOlderChecks: boolean
  grants: GrantTrace[]
  /** Undefined if a rollback is possible. */
  rollbackObstacle: string | undefined
  relinkObstacle: Awaited<ReturnType<typeof relinkObstacle>>
  openAddresses: OpenAddress[]
  task: TaskTrace | undefined
  audit: AuditLine[]
}

const max = { links: 20, checks: 10, audit: 20 }

export async function showConnection(ports: Ports, id: string): Promise<ConnectionDetails> {
  const connection = await ports.connections.find(id)
  if (!connection) throw missing('connection')
  const { support } = ports
  const [tenant, timelines, health, grants, obstacles, openAddresses, task, audit] = await Promise.all([
    ports.tenants.find(connection.tenant),
    support.timelines(id, max.links + 1),
    support.health(id, max.checks + 1),
    support.grants(id),
    Promise.all([findRollbackObstacle(ports, connection), relinkObstacle(ports, connection)]),
    support.openAddresses(id),
    support.lastTask(id),
    activityOn(ports, id),
  ])
  return {
    connection,
    tenant,
    integration: ports.integrations.find(connection.integration),
    timelines: timelines.slice(0, max.links),
    hasOlderLinks: timelines.length > max.links,
    health: health.slice(0, max.checks),
    hasOlderChecks: health.length > max.checks,
    grants,
    rollbackObstacle: obstacles[0],
    relinkObstacle: obstacles[1],
    openAddresses,
    task,
    audit,
  }
}

/** Separate queries, so that many entries of one kind don't hide the other. */
async function activityOn({ support }: Ports, connection: string): Promise<AuditLine[]> {
  const by = async (kinds: ReadonlyArray<Actor['kind']>) =>
    (await support.audit({ ...anyAudit, kinds, connection, cursor: undefined, limit: max.audit })).data
  const all = await Promise.all([by(peopleKinds), by(['api_key']), by(['worker', 'browser'])])
  return all.flat().sort((one, other) => other.id - one.id)
}

/** Offers no rollback that would be rejected. */
const findRollbackObstacle = (ports: Ports, connection: Connection): Promise<string | undefined> =>
  rollbackObstacle(ports, connection).catch((error) => {
    undefinedIfMissing(error)
    return 'The integration or its OAuth client is no longer configured.'
  })

/** `integration`: of the newest link. */
export type PersonDetails = PersonRecord & { owner: Tenant | undefined; integration: Integration | undefined }

export async function showPerson(ports: Ports, tenant: string, endUserId: string): Promise<PersonDetails> {
  const [person, owner] = await Promise.all([ports.support.person(tenant, endUserId), ports.tenants.find(tenant)])
  if (!person) throw missing('end user')
  const [newest] = person.links
  const integration = newest && ports.integrations.of(newest)
  return { ...person, connections: [...person.connections].sort(brokenFirst), owner, integration }
}

const urgency: Record<ConnectionStatus, number> = { needs_relink: 0, active: 1, not_linked: 2, disconnected: 3 }

/** Then the latest change of status first. */
const brokenFirst = (one: Connection, other: Connection): number =>
  urgency[one.status] - urgency[other.status] || other.statusSince.getTime() - one.statusSince.getTime()

export type LinkDetails = {
  timeline: LinkTimeline
  tenant: Tenant | undefined
  integration: Integration | undefined
  connection: Connection | undefined
  calls: OutsideCall[]
}

export async function showLink(ports: Ports, id: string): Promise<LinkDetails> {
  const link = await ports.links.find(id)
  if (!link) throw missing('link')
  const [tenant, connection, entries, calls] = await Promise.all([
    ports.tenants.find(link.tenant),
    ports.connections.find(link.connectionId),
    ports.support.timeline(id),
    ports.support.outsideCalls([id]),
  ])
  const integration = ports.integrations.find(link.integration)
  return { timeline: { link, entries }, tenant, connection, integration, calls: calls.get(id) ?? [] }
}

export type FunctionDetails = {
  connection: Connection
  /** Undefined if the platform did not respond. */
  state: FunctionState | 'missing' | undefined
  tools: string[] | undefined
}

export async function lookAtFunction(ports: Ports, connectionId: string): Promise<FunctionDetails> {
  const connection = await ports.connections.find(connectionId)
  if (!connection) throw missing('connection')
  const { workspace, functionName } = connection
  const [state, tools] = await Promise.all([
    ports.functionState(workspace, functionName).then((found) => found ?? 'missing', nothing),
    ports.platform.verifyFunction(provisioned(connection)).then((found) => found.tools, nothing),
  ])
  return { connection, state, tools }
}

const nothing = () => undefined

const provisioned = ({ id, name, ...connection }: Connection) => ({
  ...connection,
  connectionId: id,
  connectionName: name,
})
