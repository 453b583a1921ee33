// The doctor with real probes, at a provider that misbehaves; nothing is in the ledger.

import { firstClient } from '../../../src/demo/misbehave/domain/instance.ts'
import type { MisbehavingProvider } from '../../../src/demo/misbehave/server.ts'
import type { ProbingFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { memoryClientVerdicts } from '../../../src/onboarding/adapters/memory/client-verdicts.ts'
import { providerProbes } from '../../../src/onboarding/doctor/adapters/provider-probes.ts'
import { examineIntegration } from '../../../src/onboarding/doctor/flows/examine-integration.ts'
import type { DoctorFinding } from '../../../src/onboarding/domain/doctor/finding.ts'
import type { Ports } from '../../../src/onboarding/domain/ports/ports.ts'
import type { RateLimits } from '../../../src/onboarding/domain/ports/shared.ts'
import { catalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { readIntegrations } from '../../../src/onboarding/integrations/integrations-file.ts'
import { mcpServers } from '../../../src/onboarding/provisioning/adapters/mcp-server/mcp-servers.ts'
import { openidProvider } from '../../../src/onboarding/provisioning/adapters/openid/provider.ts'

const redirectUri = () => 'https://connect.example/oauth/callback/provider'

type Options = {
  clientSecret?: string
  /** Our redirect URI is registered; or another one is, and ours is not. */
  isRegistered?: boolean
  isOtherRegistered?: boolean
  /** Probes are limited as they are in use. */
  isCounted?: boolean
  endpoints?: { authorization: string; token: string }
  /** Further members of its entry in the integrations file. */
  profile?: object
}

export type DoctorWorld = ReturnType<typeof doctorWorld>

export function doctorWorld(provider: MisbehavingProvider, fetch: ProbingFetch) {
  const now = () => new Date()
  const counted = new Set<string>()
  const rates = (isCounted: boolean): RateLimits =>
    ({
      async take(_rule: unknown, who: string) {
        const isOver = isCounted && counted.has(who)
        if (isCounted) counted.add(who)
        return isOver ? { retryAfterSeconds: 60 } : undefined
      },
    }) as RateLimits
  return {
    /** `path`: the provider with its switches. */
    async examine(path: string, options: Options = {}): Promise<DoctorFinding[]> {
      const segment = /^[a-z0-9-]+(;|$)/.test(path) ? path : `t;${path}`
      const { clients, url } = provider.instance(segment)
      const uris = options.isRegistered
        ? [redirectUri()]
        : options.isOtherRegistered
          ? ['https://other.example/cb']
          : []
      clients.set(firstClient.id, { ...firstClient, redirectUris: uris })
      const entry = {
        id: 'provider',
        displayName: 'Provider',
        issuer: url,
        endpoints: { authorization: `${url}/authorize`, token: `${url}/token`, jwks: `${url}/jwks` },
        clientId: firstClient.id,
        clientSecret: options.clientSecret ?? firstClient.secret,
        scopes: [{ name: 'openid' }, { name: 'files.read' }],
        ...(options.endpoints && { endpoints: options.endpoints }),
        ...options.profile,
      }
      const listed = catalogue(readIntegrations().parse({ integrations: [entry] }), 'https://connect.example')
      const integrations = { ...listed, registeredClient: async () => undefined }
      // One for each: it remembers what a provider is like by the id of its integration.
      const openid = openidProvider({ fetch, redirectUri, now })

      return (
        await examineIntegration(
          {
            probes: providerProbes(fetch, openid),
            redirectUri,
            integrations,
            mcpServers: mcpServers(fetch, { name: 'Causeway', uri: 'https://connect.example' }),
            rates: rates(options.isCounted ?? false),
            now,
            tokens: { digest: (text: string) => text },
            clientVerdicts: memoryClientVerdicts(now),
            doctorLedger: {
              latest: async () => ({ link: undefined, check: undefined, revocation: undefined }),
              cohort: async () => ({ deaths: [], alive: 0 }),
              started: async () => [],
            },
            healthSeconds: 6 * 60 * 60,
          } as unknown as Ports,
          { integration: 'provider', network: true },
        )
      ).findings
    },
  }
}
