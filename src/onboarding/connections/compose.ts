import type pg from 'pg'
import type { ConnectionPorts } from '../domain/ports/connections.ts'
import { platformApprovals } from '../provisioning/adapters/platform/approvals.ts'
import { platformFunctionAccess } from '../provisioning/adapters/platform/function-access.ts'
import { functionRelay } from '../provisioning/adapters/platform/function-relay.ts'
import { platformGrantProblems } from '../provisioning/adapters/platform/grant-problems.ts'
import type { PlatformAddress, PlatformHttp } from '../provisioning/adapters/platform/platform-http.ts'
import { platformToolLists } from '../provisioning/adapters/platform/tool-lists.ts'
import { withTestFunctionAccess } from '../provisioning/adapters/test-mode/test-platform.ts'
import { postgresConnectionTasks } from './adapters/connection-tasks.ts'
import { postgresHealthChecks } from './adapters/health-checks.ts'
import { postgresKnownToolLists } from './adapters/known-tool-lists.ts'
import { postgresManageSessions } from './adapters/manage-sessions.ts'

export const openConnections = (
  { pool, http }: { pool: pg.Pool; http: PlatformHttp },
  { leaseSeconds, platform }: { leaseSeconds: number; platform: PlatformAddress },
): ConnectionPorts => ({
  healthChecks: postgresHealthChecks(pool),
  functionAccess: withTestFunctionAccess(platformFunctionAccess(http)),
  functionRelay: functionRelay(http.headers, platform),
  toolLists: platformToolLists(http),
  grantProblems: platformGrantProblems(http),
  approvals: platformApprovals(http),
  knownToolLists: postgresKnownToolLists(pool),
  manageSessions: postgresManageSessions(pool),
  tasks: postgresConnectionTasks(pool, leaseSeconds),
})
