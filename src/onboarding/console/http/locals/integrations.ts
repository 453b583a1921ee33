import { type CatalogueItem, tierToday } from '../../../domain/catalogue-item.ts'
import { tierBadge } from '../../../tenants/http/locals/catalogue.ts'

/** What this deployment can link, and how well each profile is known: the first thing to ask when links of one app fail. */
export const integrationsLocals = (items: readonly CatalogueItem[], now: Date) => {
  const configured = items.filter(({ isConfigured }) => isConfigured)
  return {
    title: 'Integrations',
    of: items.length,
    rows: configured.map((item) => integrationRow(item, now)),
  }
}

function integrationRow({ id, displayName, about }: CatalogueItem, now: Date) {
  const tier = about && tierToday(about, now)
  return {
    id,
    name: displayName,
    href: `/catalogue/${id}`,
    badge: tierBadge(tier),
    asOf: about?.asOf,
    notice: noticeOf(about, tier),
    unverified: about?.unverified.length ?? 0,
  }
}

function noticeOf(about: CatalogueItem['about'], tier: string | undefined): string | undefined {
  if (!about) return 'Described in the integrations file of this deployment.'
  if (tier === 'listed') return 'Known from one source alone. Try a link before users do.'
  return tier === about.tier ? undefined : 'The vendor’s page was read more than a year ago.'
}
