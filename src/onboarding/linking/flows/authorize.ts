import { Secret } from '../../../kit/crypto/secret.ts'
import { causes } from '../../domain/cause.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import type { Link } from '../../domain/link.ts'
import { packLink } from '../../domain/linking/carried-link.ts'
import { callbackOf } from '../../domain/mcp/registered-client.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { Settings } from '../../domain/settings.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

type Authorization = {
  /** Of the provider. */
  url: string
  /** Before this, the callback finds no authorization. */
  store(): Promise<void>
}

export async function authorize(...args: Parameters<typeof prepareAuthorization>): Promise<string> {
  const { url, store } = await prepareAuthorization(...args)
  await store()
  return url
}

export async function prepareAuthorization(
  ports: Ports,
  settings: Settings,
  link: Link,
  { integration, client }: ReadyIntegration,
  forceConsent: boolean,
): Promise<Authorization> {
  const [state, nonce, verifier] = ports.tokens.freshOnes(3) as [string, string, string]
  const secret = new Secret(verifier)
  const url = await ports.provider
    .authorizationUrl({
      integration,
      client,
      state,
      nonce,
      verifier: secret,
      ...(await promptOptions(ports, link, forceConsent)),
    })
    .catch(rethrowAsFailure)
  const pending = {
    link: link.id,
    callback: callbackOf(integration.id, client),
    verifier: ports.seal.sealBriefly(
      new Secret(`${verifier}\n${packLink(link)}\n${client.id}`),
      sealContext.verifier(link.id),
    ),
    nonce,
    browser: link.browser,
  }
  return { url, store: () => ports.pending.put(state, pending, settings.authorizationSeconds) }
}

/** A re-link needs a new grant of the same account, so it sends a login hint and forces consent. */
async function promptOptions({ connections }: Ports, link: Link, forceConsent: boolean) {
  if (link.kind !== 'relink') return { forceConsent }
  const account = (await connections.find(link.connectionId))?.account
  const missed = link.cause === 'account_mismatch'
  return { forceConsent: true, ...(account && { account: { label: account.label, missed } }) }
}

export function rethrowAsFailure(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error
  if (causes[error.cause].whoseMove === 'operator') {
    throw new Failure('integration_unavailable', 'It is not set up correctly here.', { cause: error })
  }
  if (error.cause === 'mcp_metadata_unusable') {
    throw new Failure('provider_unusable', 'The app publishes sign-in details that can’t be used.', { cause: error })
  }
  throw new Failure('provider_unavailable', 'The app you want to connect isn’t responding.', { cause: error })
}
