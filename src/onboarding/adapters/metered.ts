// The same ports, counted: how links move, and how long other servers take.
import type { Metrics } from '../../kit/process/metrics.ts'
import { DependencyError } from '../domain/dependency-error.ts'
import type { HealthCheckDraft, HealthChecks } from '../domain/ports/connections.ts'
import type { Platform } from '../domain/ports/platform.ts'
import type { Provider } from '../domain/ports/provider.ts'
import type { Links } from '../domain/ports/provisioning.ts'

export type MeteredPorts = { links: Links; provider: Provider; platform: Platform; healthChecks: HealthChecks }

/** What users who were sent somebody else's link look like; the one figure that has to name the tenant. */
const uncompletedHelp = 'Links that a user consented to and the tenant did not complete, by tenant.'

export function metered<P extends MeteredPorts>(ports: P, metrics: Metrics): P {
  const { links, provider, platform, healthChecks } = ports
  const health = countHealth(metrics)
  const moves = metrics.counter('link_moves_total', 'Moves of links, by the state they came to.', ['state', 'cause'])
  const uncompleted = metrics.counter('links_uncompleted_total', uncompletedHelp, ['tenant', 'cause'])
  const calls = metrics.histogram('outside_seconds', 'Time of calls to other servers.', ['call', 'outcome'])
  const timed = async <T>(call: string, act: () => Promise<T>): Promise<T> => {
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
        if (!moved) return moved
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
        health(checked)
        return check
      },
    },
    provider: {
      ...provider,
      exchange: (request) => timed('exchange', () => provider.exchange(request)),
      refresh: (request) => timed('refresh', () => provider.refresh(request)),
    },
    platform: {
      ...platform,
      createConnection: (...args) => timed('connection', () => platform.createConnection(...args)),
      createFunction: (...args) => timed('function', () => platform.createFunction(...args)),
      verifyFunction: (...args) => timed('verification', () => platform.verifyFunction(...args)),
      replaceConnection: (...args) => timed('replacement', () => platform.replaceConnection(...args)),
      tryTool: (...args) => timed('tool', () => platform.tryTool(...args)),
    },
  }
}

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
