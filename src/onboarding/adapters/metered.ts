// The same ports, counted: how links move, and how long other servers take.
import type { Metrics } from '../../kit/process/metrics.ts'
import { DependencyError } from '../domain/dependency-error.ts'
import type { HealthCheckDraft, HealthChecks } from '../domain/ports/connections.ts'
import type { Platform, Provisioning } from '../domain/ports/platform.ts'
import type { Provider } from '../domain/ports/provider.ts'
import type { Links } from '../domain/ports/provisioning.ts'
import { isTestClient, isTestTenant, isTestWorkspace } from '../domain/test-mode/test-mode.ts'

export type MeteredPorts = { links: Links; provider: Provider; platform: Platform; healthChecks: HealthChecks }

/** What users who were sent somebody else's link look like; the one figure that has to name the tenant. */
const uncompletedHelp = 'Links that a user consented to and the tenant did not complete, by tenant.'

export function metered<P extends MeteredPorts>(ports: P, metrics: Metrics): P {
  const { links, provider, platform, healthChecks } = ports
  const health = countHealth(metrics)
  const moves = metrics.counter('link_moves_total', 'Moves of links, by the state they came to.', ['state', 'cause'])
  const uncompleted = metrics.counter('links_uncompleted_total', uncompletedHelp, ['tenant', 'cause'])
  const calls = metrics.histogram('outside_seconds', 'Time of calls to other servers.', ['call', 'outcome'])
  const timed = async <T>(call: string, act: () => Promise<T>, isTest = false): Promise<T> => {
    if (isTest) return act()
    const startedAt = performance.now()
    const end = (outcome: string) => calls.observe({ call, outcome }, (performance.now() - startedAt) / 1_000)
    try {
      const result = await act()
      end('done')
      return result
    } catch (error) {
      end(error instanceof DependencyError ? error.cause : 'error')
      throw error
    }
  }
  return {
    ...ports,
    links: {
      ...links,
      async move(link, to, changes, audit) {
        const moved = await links.move(link, to, changes, audit)
        // Test mode says nothing about how the deployment is doing.
        if (!moved || isTestTenant(moved.tenant)) return moved
        const { cause = '', tenant } = moved
        moves.inc({ state: to, cause })
        if (cause === 'completion_missing' || cause === 'completion_refused') uncompleted.inc({ tenant, cause })
        return moved
      },
    },
    healthChecks: {
      ...healthChecks,
      async record(checked) {
        const check = await healthChecks.record(checked)
        if (!isTestTenant(checked.connection.tenant)) health(checked)
        return check
      },
    },
    provider: {
      ...provider,
      exchange: (request) => timed('exchange', () => provider.exchange(request), isTestClient(request.client)),
      refresh: (request) => timed('refresh', () => provider.refresh(request), isTestClient(request.client)),
    },
    platform: {
      ...platform,
      createConnection: (at, grant) => timed('connection', () => platform.createConnection(at, grant), isTest(at)),
      createFunction: (at) => timed('function', () => platform.createFunction(at), isTest(at)),
      verifyFunction: (at) => timed('verification', () => platform.verifyFunction(at), isTest(at)),
      replaceConnection: (at, grant) => timed('replacement', () => platform.replaceConnection(at, grant), isTest(at)),
      tryTool: (...args) => timed('tool', () => platform.tryTool(...args)),
    },
  }
}

const isTest = ({ workspace }: Pick<Provisioning, 'workspace'>) => isTestWorkspace(workspace)

function countHealth(metrics: Metrics): (checked: HealthCheckDraft) => void {
  const labels = ['integration', 'outcome', 'cause']
  const checks = metrics.counter('health_checks_total', 'Health checks, by what they found.', labels)
  const unknownHelp = 'Connections that checks can no longer judge; their tenants were told.'
  const unknown = metrics.counter('health_unknown_total', unknownHelp, ['integration', 'cause'])
  return ({ connection: { integration }, finding: { outcome, cause = '' }, unknown: told }) => {
    checks.inc({ integration, outcome, cause })
    if (told) unknown.inc({ integration, cause })
  }
}
