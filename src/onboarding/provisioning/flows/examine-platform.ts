import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { PlatformReport } from '../../domain/platform-report.ts'
import type { Ports } from '../../domain/ports/ports.ts'

/** Load balancers check readiness every few seconds. The platform is asked less often. */
const rememberMs = 15_000

const maxTenants = 500

type PlatformPorts = Pick<Ports, 'platformProbe' | 'integrations' | 'tenants'>

export function examinePlatform(ports: PlatformPorts): (options?: { isFresh: boolean }) => Promise<PlatformReport> {
  const examined = ttlCache(() => examine(ports), { ttlMs: rememberMs, capacity: 1 })
  return ({ isFresh } = { isFresh: false }) => (isFresh ? examined.refresh('platform') : examined.get('platform'))
}

async function examine({ platformProbe, integrations, tenants }: PlatformPorts): Promise<PlatformReport> {
  const { problem, workspaces, integrations: known } = await platformProbe.look()
  return {
    problem,
    unknownIntegrations: known
      ? integrations
          .configured()
          .map(({ id }) => id)
          .filter((id) => !known.includes(id))
      : [],
    unknownWorkspaces: workspaces ? (await workspacesInUse(tenants)).filter((name) => !workspaces.includes(name)) : [],
  }
}

/** An unavailable ledger is reported separately from the platform. */
async function workspacesInUse(tenants: Ports['tenants']): Promise<string[]> {
  const page = await tenants.list({ testMode: false, cursor: undefined, limit: maxTenants }).catch(() => ({ data: [] }))
  return page.data.filter(({ status }) => status === 'active').map(({ workspace }) => workspace)
}
