import {
  type AddressKind,
  type CheckedProvider,
  findingOf,
  isWhole,
  type Presence,
  type ProviderFinding,
  sampleOf,
} from '../domain/catalogue/catalogue-check.ts'
import type { Outage } from '../domain/doctor/outage.ts'
import type { CatalogueProbe } from '../domain/ports/doctor.ts'
import type { Clock } from '../domain/ports/shared.ts'

type CheckNeeds = { probe: CatalogueProbe; now: Clock }

/** Yields only the outage if this machine is cut off from the internet: every address would look gone. */
export const checkCatalogue = ({ probe, now }: CheckNeeds) =>
  async function* (providers: readonly CheckedProvider[]): AsyncGenerator<ProviderFinding | { outage: Outage }> {
    const outage = await probe.outage(sampleOf(providers))
    if (outage) return yield { outage }
    for (const provider of providers) yield await checkProvider(probe, provider, now())
  }

async function checkProvider(probe: CatalogueProbe, provider: CheckedProvider, now: Date): Promise<ProviderFinding> {
  const { authorization, token } = provider.addresses
  const ask = async (address: string | undefined, kind: AddressKind): Promise<Presence> =>
    isWhole(address) ? probe.presence(address, kind) : 'not_asked'
  const servers = Object.entries(provider.mcp).map(async ([id, url]) => [id, await ask(url, 'mcp')] as const)
  const [authorizationSeen, tokenSeen, mcp, published] = await Promise.all([
    ask(authorization, 'authorization'),
    ask(token, 'token'),
    Promise.all(servers),
    isWhole(authorization) ? probe.published(authorization) : undefined,
  ])
  const seen = { authorization: authorizationSeen, token: tokenSeen, mcp: Object.fromEntries(mcp), published }
  return findingOf(provider, seen, now)
}
