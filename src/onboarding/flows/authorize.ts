import { Secret } from '../../kit/secret.ts'
import { Failure } from '../domain/failure.ts'
import type { Link } from '../domain/link.ts'
import { place } from '../domain/sealed-place.ts'
import { Trouble } from '../domain/trouble.ts'
import type { Adapters, Settings } from './adapters.ts'
import type { ReadyIntegration } from './find-client.ts'

type Needs = Pick<Adapters, 'provider' | 'pending' | 'seal' | 'tokens'>

/** Remembers what must come back from the provider, and says where to send the browser. */
export const authorize =
  (needs: Needs, settings: Pick<Settings, 'authorizationSeconds'>) =>
  async (link: Pick<Link, 'id' | 'browser'>, { integration, client }: ReadyIntegration, forceConsent: boolean) => {
    const [state, nonce, verifier] = [needs.tokens.fresh(), needs.tokens.fresh(), needs.tokens.fresh()]
    const secret = new Secret(verifier)
    const url = await needs.provider
      .authorizationUrl({ integration, client, state, nonce, verifier: secret, forceConsent })
      .catch(refuse)
    const pending = {
      link: link.id,
      integration: integration.id,
      verifier: needs.seal.seal(secret, place.verifier(link.id)),
      nonce,
      browser: link.browser,
    }
    await needs.pending.put(state, pending, settings.authorizationSeconds)
    return url
  }

function refuse(error: unknown): never {
  if (!(error instanceof Trouble)) throw error
  throw new Failure('provider_unavailable', 'The app you want to link does not answer right now.', { cause: error })
}
