import type { Integration, OAuthClient } from '../domain/integration.ts'
import { testClientId } from '../domain/test-mode/test-mode.ts'
import { profile } from './profile.ts'

/** One object for all: what is known of a server is remembered for each client. */
const testClient: OAuthClient = { id: testClientId, secret: undefined }

/** Where the built-in provider is, below the address of the deployment. */
export const testProviderUrl = (publicUrl: string): string => `${publicUrl}/test-provider`

/**
 * The integration as test mode offers it: the words of the real one, so that pages look the same, and every address the
 * built-in provider's. What is not named here has its default: no address, header or rule of the real one is taken over.
 */
export function testIntegration(real: Integration, publicUrl: string): Integration {
  const { id, displayName, description, scopes, inputs, codeParameter, about } = real
  const base = testProviderUrl(publicUrl)
  return {
    ...profile({
      id,
      displayName,
      description,
      // Without an ID token: the account is told in the token response.
      scopes: scopes.filter(({ name }) => name !== 'openid'),
      inputs,
      codeParameter,
      endpoints: { authorization: `${base}/${id}/authorize`, token: `${base}/token` },
      clientAuthentication: 'none',
      account: { from: 'token_response', id: 'account_id', label: 'account_email' },
      rotation: 'none',
      revocation: { url: `${base}/revoke`, reach: 'token' },
      health: { by: 'refresh' },
    }),
    client: testClient,
    about,
  }
}
