import type { Kysely } from 'kysely'
import type { LedgerSchema } from '../adapters/postgres/schema.ts'
import type { ConnectionPorts } from '../domain/ports/connections.ts'
import { postgresConnectionTasks } from './adapters/connection-tasks.ts'
import { postgresHealthChecks } from './adapters/health-checks.ts'

export const openConnections = (
  { db }: { db: Kysely<LedgerSchema> },
  { leaseSeconds }: { leaseSeconds: number },
): ConnectionPorts => ({
  healthChecks: postgresHealthChecks(db),
  tasks: postgresConnectionTasks(db, leaseSeconds),
})
