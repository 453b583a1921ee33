import { Secret } from '../../../kit/crypto/secret.ts'
import { type Connection, GrantRevoked } from './connection.ts'

/**
 * An access token that is used until it is revoked: there is nothing to refresh it with, so one that the third party
 * refused is a grant that is gone. Undefined for a connection with a refresh token.
 */
export function unrefreshedToken({ name, secrets }: Connection, refused: Secret | undefined): Secret | undefined {
  const { ACCESS_TOKEN = '', REFRESH_TOKEN = '' } = secrets.reveal()
  if (ACCESS_TOKEN === '' || REFRESH_TOKEN !== '') return undefined
  if (refused?.reveal() === ACCESS_TOKEN) throw new GrantRevoked(name)
  return new Secret(ACCESS_TOKEN)
}
