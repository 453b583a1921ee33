import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { PlatformReport } from '../../domain/platform-report.ts'
import type { PlatformProbe } from '../../domain/ports/platform.ts'
import type { Integrations } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'

type Needs = {
  platformProbe: PlatformProbe
  integrations: Integrations
  tenants: Pick<Tenants, 'list'>
}

/** Balancers ask about readiness every few seconds, and the platform is not asked as often. */
const rememberMs = 15_000

const mostTenants = 500

/** What would otherwise be found out after consent, one link at a time. `isFresh`: not what is remembered. */
export function examinePlatform(needs: Needs): (options?: { isFresh: boolean }) => Promise<PlatformReport> {
  const examined = ttlCache(() => examine(needs), { ttlMs: rememberMs, capacity: 1 })
  return ({ isFresh } = { isFresh: false }) => (isFresh ? examined.refresh('platform') : examined.get('platform'))
}

async function examine({ platformProbe, integrations, tenants }: Needs): Promise<PlatformReport> {
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

/** A ledger that is away is a part of its own: it must not make the platform look so. */
async function workspacesInUse(tenants: Needs['tenants']): Promise<string[]> {
  const page = await tenants
    .list({ testMode: false, cursor: undefined, limit: mostTenants })
    .catch(() => ({ data: [] }))
  return page.data.filter(({ status }) => status === 'active').map(({ workspace }) => workspace)
}
