// A memory world with the real provider adapter and a scripted token endpoint.
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { sealContext } from '../../../src/onboarding/domain/seal-context.ts'
import type { ProfileData } from '../../../src/onboarding/integrations/profile.ts'
import { exchangeCode } from '../../../src/onboarding/linking/flows/exchange-code.ts'
import { openidProvider } from '../../../src/onboarding/provisioning/adapters/openid/provider.ts'
import { unpackAnswer } from '../../../src/onboarding/provisioning/adapters/openid/stored-answer.ts'
import { byKey, client, openMemoryWorld } from '../../support/memory/world.ts'
import { startRawTokenEndpoint } from './raw-token-endpoint.ts'
import { largestAnswer } from './token-answers.ts'

export type Salvage = Awaited<ReturnType<typeof startSalvage>>
export type SalvageWorld = Awaited<ReturnType<Salvage['open']>>

export async function startSalvage() {
  const endpoint = await startRawTokenEndpoint()
  const fetch = guardedFetch({ allow: [endpoint.host], maxBytes: largestAnswer })
  return {
    endpoint,
    async open(more: Partial<ProfileData> = {}) {
      endpoint.calm()
      const { endpoints, revocation } = endpoint
      const world = await openMemoryWorld({
        integration: { endpoints, revocation, account: { from: 'none', id: '', label: '' }, ...more },
      })
      const redirectUri = () => 'https://connect.example/oauth/callback/files'
      world.provider = { ...openidProvider({ fetch, now: world.now, redirectUri }), calls: world.provider.calls }
      return world
    },
    async close() {
      await fetch.close()
      endpoint.close()
    },
  }
}

type World = Awaited<ReturnType<typeof openMemoryWorld>>

export const exchange = (world: World, link: Link): Promise<Link> =>
  exchangeCode(world, world.settings, {
    link,
    ready: { integration: world.integrations.find('files')!, client },
    code: new Secret('code'),
    verifier: new Secret('v'.repeat(43)),
    nonce: 'nonce',
    issuer: undefined,
    config: {},
    actor: byKey,
  })

export async function keptBytes(world: World, link: Link): Promise<Buffer | undefined> {
  const sealed = (await world.secrets.escrow(link.id))?.sealed
  return sealed === undefined ? undefined : bytesIn(world.seal.open(sealed, sealContext.escrow(link)))
}

export const bytesIn = (packed: Secret): Buffer => Buffer.from(unpackAnswer(packed).bytes, 'base64')
