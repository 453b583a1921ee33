import { rollbackObstacle } from '../../connections/flows/rollback.ts'
import { type Actor, peopleKinds } from '../../domain/audit/audit.ts'
import type { Connection } from '../../domain/connection.ts'
import { missing } from '../../domain/failure.ts'
import type { HealthCheck } from '../../domain/health/health.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import {
  type AuditLine,
  anyAudit,
  type Backlogs,
  type FunctionState,
  type GrantTrace,
  type HealthDay,
  type LinkCount,
  type LinkTimeline,
  type OpenAddress,
  type ProblemGroup,
  type RetryGroup,
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

export const search = ({ support }: Ports, text: string) => support.search(text.slice(0, 200), 12)

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
  openAddresses: OpenAddress[]
  task: TaskTrace | undefined
  audit: AuditLine[]
}

const max = { links: 20, checks: 10, audit: 20 }

export async function showConnection(ports: Ports, id: string): Promise<ConnectionDetails> {
  const connection = await ports.connections.find(id)
  if (!connection) throw missing('connection')
  const { support } = ports
  const [tenant, timelines, health, grants, rollbackObstacle, openAddresses, task, audit] = await Promise.all([
    ports.tenants.find(connection.tenant),
    support.timelines(id, max.links + 1),
    support.health(id, max.checks + 1),
    support.grants(id),
    findRollbackObstacle(ports, connection),
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
    rollbackObstacle,
    openAddresses,
    task,
    audit,
  }
}

/** Separate queries, so that many entries of one kind don't hide the other. */
async function activityOn({ support }: Ports, connection: string): Promise<AuditLine[]> {
  const by = async (kinds: ReadonlyArray<Actor['kind']>) =>
    (await support.audit({ ...anyAudit, kinds, connection, cursor: undefined, limit: max.audit })).data
  const [people, servers] = await Promise.all([by(peopleKinds), by(['api_key'])])
  return [...people, ...servers].sort((one, other) => other.id - one.id)
}

/** Offers no rollback that would be rejected. */
const findRollbackObstacle = (ports: Ports, connection: Connection): Promise<string | undefined> =>
  rollbackObstacle(ports, connection).catch((error) => {
    undefinedIfMissing(error)
    return 'The integration or its OAuth client is no longer configured.'
  })

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
