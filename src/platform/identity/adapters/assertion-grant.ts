import type Provider from 'oidc-provider'
import type { Client } from 'oidc-provider'
import { errors } from '../../../kit/http/oidc-provider.ts'
import { AssertionRefused, jwtBearer } from '../domain/identity-assertion.ts'
import type { AcceptAssertion, AcceptedAssertion } from '../domain/ports.ts'
import { accessTokenSeconds } from '../domain/signing-key.ts'
import { resourceServer } from './resource-servers.ts'

type Needs = Parameters<typeof resourceServer>[0] & { acceptAssertion: AcceptAssertion }

/** RFC 7523 §2.1. No refresh token: the client requests a new assertion (draft 04 §4.4.3). */
export function acceptAssertions(provider: Provider, needs: Needs): void {
  provider.registerGrantType<{ assertion?: string; resource?: string; scope?: string }>(
    jwtBearer,
    async (ctx) => {
      const { client, params } = ctx.oidc
      const { assertion, resource, scope } = params
      if (!assertion) throw new errors.InvalidRequest("missing required parameter 'assertion'")
      const app = {
        id: client.clientId,
        name: client.clientName ?? client.clientId,
        isConfidential: authenticates(client),
      }
      const createGrant = grantFor(provider, client)
      const accepted = await needs
        .acceptAssertion({ assertion, client: app, resource, scope, createGrant })
        .catch((error) => {
          if (!(error instanceof AssertionRefused)) throw error
          throw new errors.CustomOIDCProviderError(error.error, error.description, { cause: error.cause })
        })
      ctx.body = await tokenFor(provider, needs, client, accepted)
    },
    ['assertion', 'scope', 'resource'],
  )
}

const authenticates = ({ clientAuthMethod }: Client) => clientAuthMethod !== 'none'

const grantFor =
  (provider: Provider, { clientId }: Client) =>
  async ({ accountId, resource, scopes }: Omit<AcceptedAssertion, 'grantId'>): Promise<string> => {
    const grant = new provider.Grant({ accountId, clientId, expiresIn: accessTokenSeconds } as { accountId: string })
    grant.addResourceScope(resource, scopes.join(' '))
    return grant.save()
  }

async function tokenFor(
  provider: Provider,
  needs: Needs,
  client: Client,
  { accountId, resource, scopes, grantId }: AcceptedAssertion,
) {
  const token = new provider.AccessToken({ client, accountId, grantId, gty: jwtBearer } as never)
  token.resourceServer = new provider.ResourceServer(resource, resourceServer(needs, resource, client))
  token.scope = scopes.join(' ')
  return {
    access_token: await token.save(),
    token_type: token.tokenType,
    expires_in: token.expiration,
    scope: token.scope,
  }
}
