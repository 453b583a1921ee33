// The same ports, with what happens at them told in the log and counted: how links, tasks and messages move, what
// checks find, and how long other servers take.
import type { ConnectionTasks, HealthChecks } from '../../domain/ports/connections.ts'
import type { Erasures } from '../../domain/ports/erasures.ts'
import type { TenantDeletions } from '../../domain/ports/offboarding.ts'
import type { Platform } from '../../domain/ports/platform.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Deliveries } from '../../domain/ports/webhooks.ts'
import { observedCalls } from './observed-calls.ts'
import { countClientRejections } from './observed-clients.ts'
import { observedDeliveries } from './observed-deliveries.ts'
import { observedHealthChecks } from './observed-health-checks.ts'
import { observedLinks } from './observed-links.ts'
import { observedDeletions, observedErasures, observedTasks } from './observed-tasks.ts'
import type { Reports } from './reports.ts'

export type ObservedPorts = {
  links: Links
  provider: Provider
  platform: Platform
  healthChecks: HealthChecks
  tasks: ConnectionTasks
  deliveries: Deliveries
  deletions: TenantDeletions
  erasures: Erasures
}

/** `integrations`: those that can be linked from the start. */
export function observed<P extends ObservedPorts>(
  ports: P,
  reports: Reports,
  integrations: ReadonlyArray<{ id: string }> = [],
): P {
  const clientRejected = countClientRejections(reports.metrics, integrations)
  return {
    ...ports,
    ...observedCalls(ports, reports),
    links: observedLinks(ports.links, reports, integrations, clientRejected),
    healthChecks: observedHealthChecks(ports.healthChecks, reports, clientRejected),
    tasks: observedTasks(ports.tasks, reports),
    deliveries: observedDeliveries(ports.deliveries, reports),
    deletions: observedDeletions(ports.deletions, reports),
    erasures: observedErasures(ports.erasures, reports),
  }
}
