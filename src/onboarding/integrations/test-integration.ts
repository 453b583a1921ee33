import { addressesOf } from '../domain/catalogue/integration-values.ts'
import type { Integration, OAuthClient } from '../domain/integration.ts'
import { testClientId } from '../domain/test-mode/test-mode.ts'
import { profile } from './profile.ts'

const testClient: OAuthClient = { id: testClientId, secret: undefined }

export const testProviderUrl = (publicUrl: string): string => `${publicUrl}/test-provider`

/** All addresses are those of the built-in provider. Everything else has its default. */
export function testIntegration(real: Integration, publicUrl: string): Integration {
  const { id, displayName, description, scopes, optionalScopes, inputs, codeParameter, icon, color, about } = real
  const base = testProviderUrl(publicUrl)
  return {
    ...profile({
      id,
      displayName,
      description,
      icon,
      color,
      // No ID token: the account is in the token response.
      scopes: scopes.filter(({ name }) => name !== 'openid'),
      optionalScopes,
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
    realAddresses: addressesOf(real),
  }
}
