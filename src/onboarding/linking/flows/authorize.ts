import { Secret } from '../../../kit/crypto/secret.ts'
import { causes } from '../../domain/cause.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import type { Link } from '../../domain/link.ts'
import { packLink } from '../../domain/linking/carried-link.ts'
import { callbackOf } from '../../domain/mcp/registered-client.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { PendingAuthorizations } from '../../domain/ports/linking.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Seal, Tokens } from '../../domain/ports/shared.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { Settings } from '../../domain/settings.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

type Needs = {
  provider: Provider
  pending: PendingAuthorizations
  seal: Seal
  tokens: Tokens
  connections: Connections
}

/** Stores the pending authorization and returns the provider's authorization URL. */
export const authorize =
  (needs: Needs, settings: Pick<Settings, 'authorizationSeconds'>) =>
  async (link: Link, { integration, client }: ReadyIntegration, forceConsent: boolean) => {
    const [state, nonce, verifier] = needs.tokens.freshOnes(3) as [string, string, string]
    const secret = new Secret(verifier)
    const url = await needs.provider
      .authorizationUrl({
        integration,
        client,
        state,
        nonce,
        verifier: secret,
        ...(await promptOptions(needs, link, forceConsent)),
      })
      .catch(rethrowAsFailure)
    const pending = {
      link: link.id,
      callback: callbackOf(integration.id, client),
      verifier: needs.seal.sealBriefly(new Secret(`${verifier}\n${packLink(link)}`), sealContext.verifier(link.id)),
      nonce,
      browser: link.browser,
    }
    await needs.pending.put(state, pending, settings.authorizationSeconds)
    return url
  }

/** A re-link needs a new grant of one account, so the provider gets a login hint and is asked to prompt for consent. */
async function promptOptions({ connections }: Needs, link: Link, forceConsent: boolean) {
  if (!link.relink) return { forceConsent }
  const account = (await connections.find(link.connectionId))?.account
  const missed = link.cause === 'account_mismatch'
  return { forceConsent: true, ...(account && { account: { label: account.label, missed } }) }
}

/** What the user is told; why it was is on record. */
export function rethrowAsFailure(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error
  if (causes[error.cause].whoseMove === 'operator') {
    throw new Failure('integration_unavailable', 'It is not set up correctly here.', { cause: error })
  }
  throw new Failure('provider_unavailable', 'The app you want to connect isn’t responding.', { cause: error })
}
