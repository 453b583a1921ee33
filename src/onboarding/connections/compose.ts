import type pg from 'pg'
import type { ConnectionPorts } from '../domain/ports/connections.ts'
import { postgresConnectionTasks } from './adapters/connection-tasks.ts'
import { postgresHealthChecks } from './adapters/health-checks.ts'

export const openConnections = (
  { pool }: { pool: pg.Pool },
  { leaseSeconds }: { leaseSeconds: number },
): ConnectionPorts => ({
  healthChecks: postgresHealthChecks(pool),
  tasks: postgresConnectionTasks(pool, leaseSeconds),
})
