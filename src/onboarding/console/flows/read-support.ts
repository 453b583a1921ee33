// Reads for the support console, across all tenants.

import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { rollbackObstacle } from '../../connections/flows/rollback.ts'
import { type Actor, peopleKinds } from '../../domain/audit/audit.ts'
import type { Connection } from '../../domain/connection.ts'
import { missing } from '../../domain/failure.ts'
import type { HealthCheck } from '../../domain/health/health.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Connections, StoredGrants } from '../../domain/ports/connections.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Clock, Integrations } from '../../domain/ports/shared.ts'
import type { SupportLedger } from '../../domain/ports/support-ledger.ts'
import {
  type AuditLine,
  anyAudit,
  type Backlogs,
  type GrantTrace,
  type HealthDay,
  type LinkCount,
  type LinkTimeline,
  type OpenAddress,
  type ProblemGroup,
  type RetryGroup,
  type TaskTrace,
} from '../../domain/ports/support-ledger.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { OutsideCall } from '../../domain/trace/outside-call.ts'
import { undefinedIfMissing } from '../../tenants/flows/find-client.ts'

type Needs = {
  support: SupportLedger
  connections: Connections
  links: Links
  storedGrants: StoredGrants
  tenants: Tenants
  integrations: Integrations
  now: Clock
}

export type Overview = {
  problems: ProblemGroup[]
  retries: RetryGroup[]
  linksByDay: LinkCount[]
  days: number
  backlogs: Backlogs
  now: Date
}

const days = 14

export function readOverview({ support, now }: Needs): () => Promise<Overview> {
  // Past days change little, and many people open the same chart.
  const counted = ttlCache(() => support.linksByDay(days), { ttlMs: 10_000, capacity: 1 })
  return async () => {
    const [problems, retries, linksByDay, backlogs] = await Promise.all([
      support.problems(),
      support.retries(),
      counted.get('days'),
      support.backlogs(),
    ])
    return { problems, retries, linksByDay, days, backlogs, now: now() }
  }
}

export type HealthByDay = { counts: HealthDay[]; days: number; now: Date }

const healthDays = 30

export const readHealthByDay =
  ({ support, now }: Needs) =>
  async (integration: string): Promise<HealthByDay> => ({
    counts: await support.healthByDay(integration, healthDays),
    days: healthDays,
    now: now(),
  })

export const search =
  ({ support }: Needs) =>
  (text: string) =>
    support.search(text.slice(0, 200), 12)

export type ConnectionDetails = {
  connection: Connection
  tenant: Tenant | undefined
  integration: Integration | undefined
  /** The newest, and whether there are older ones. */
  timelines: LinkTimeline[]
  hasOlderLinks: boolean
  health: HealthCheck[]
  hasOlderChecks: boolean
  grants: GrantTrace[]
  /** Why a rollback is not possible. Undefined if it is. */
  rollbackObstacle: string | undefined
  openAddresses: OpenAddress[]
  task: TaskTrace | undefined
  audit: AuditLine[]
}

const most = { links: 20, checks: 10, audit: 20 }

export const showConnection =
  (needs: Needs) =>
  async (id: string): Promise<ConnectionDetails> => {
    const connection = await needs.connections.find(id)
    if (!connection) throw missing('connection')
    const { support } = needs
    const [tenant, timelines, health, grants, rollbackObstacle, openAddresses, task, audit] = await Promise.all([
      needs.tenants.find(connection.tenant),
      support.timelines(id, most.links + 1),
      support.health(id, most.checks + 1),
      support.grants(id),
      findRollbackObstacle(needs, connection),
      support.openAddresses(id),
      support.lastTask(id),
      activityOn(needs, id),
    ])
    return {
      connection,
      tenant,
      integration: needs.integrations.find(connection.integration),
      timelines: timelines.slice(0, most.links),
      hasOlderLinks: timelines.length > most.links,
      health: health.slice(0, most.checks),
      hasOlderChecks: health.length > most.checks,
      grants,
      rollbackObstacle,
      openAddresses,
      task,
      audit,
    }
  }

/** People and API keys are read separately, so that many entries of one do not hide the other. */
async function activityOn({ support }: Needs, connection: string): Promise<AuditLine[]> {
  const by = async (kinds: ReadonlyArray<Actor['kind']>) =>
    (await support.audit({ ...anyAudit, kinds, connection, cursor: undefined, limit: most.audit })).data
  const [people, servers] = await Promise.all([by(peopleKinds), by(['api_key'])])
  return [...people, ...servers].sort((one, other) => other.id - one.id)
}

/** Uses the rollback's own rule, so that no rollback is offered that would be refused. */
const findRollbackObstacle = (needs: Needs, connection: Connection): Promise<string | undefined> =>
  rollbackObstacle(needs, connection).catch((error) => {
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

export const showLink =
  (needs: Needs) =>
  async (id: string): Promise<LinkDetails> => {
    const link = await needs.links.find(id)
    if (!link) throw missing('link')
    const [tenant, connection, entries, calls] = await Promise.all([
      needs.tenants.find(link.tenant),
      needs.connections.find(link.connectionId),
      needs.support.timeline(id),
      needs.support.outsideCalls([id]),
    ])
    const integration = needs.integrations.find(link.integration)
    return { timeline: { link, entries }, tenant, connection, integration, calls: calls.get(id) ?? [] }
  }
