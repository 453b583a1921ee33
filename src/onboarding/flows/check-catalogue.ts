import {
  type CheckedProvider,
  findingOf,
  type Presence,
  type ProviderFinding,
} from '../domain/catalogue/catalogue-check.ts'
import type { CatalogueProbe } from '../domain/ports/doctor.ts'
import type { Clock } from '../domain/ports/shared.ts'

export const checkCatalogue = ({ probe, now }: { probe: CatalogueProbe; now: Clock }) =>
  async function* (providers: readonly CheckedProvider[]): AsyncGenerator<ProviderFinding> {
    for (const provider of providers) yield await checkProvider(probe, provider, now())
  }

async function checkProvider(probe: CatalogueProbe, provider: CheckedProvider, now: Date): Promise<ProviderFinding> {
  const { authorization, token } = provider.addresses
  const ask = async (address: string | undefined, method: 'GET' | 'POST'): Promise<Presence> =>
    isWhole(address) ? probe.presence(address, method) : 'not_asked'
  const [authorizationSeen, tokenSeen, published] = await Promise.all([
    ask(authorization, 'GET'),
    ask(token, 'POST'),
    isWhole(authorization) ? probe.published(authorization) : undefined,
  ])
  return findingOf(provider, { authorization: authorizationSeen, token: tokenSeen, published }, now)
}

const isWhole = (address: string | undefined): address is string => address !== undefined && !address.includes('{')
