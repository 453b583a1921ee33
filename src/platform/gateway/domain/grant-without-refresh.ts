// What becomes of a grant that cannot be refreshed, or whose refresh was not understood.

import { Secret } from '../../../kit/crypto/secret.ts'
import { type AnswerUnread, type Connection, GrantRevoked, ThirdPartyError } from './connection.ts'
import type { Integration } from './integration.ts'

type Rotation = Pick<Integration, 'rotation'>

/**
 * Where refresh tokens rotate, or may, the whole answer is likely to hold the next one, and waits for a better profile.
 * One that broke off will never be read: the old token is tried, unless its second use ends the grant (RFC 9700,
 * section 4.14.2).
 */
export const mayBeSentAgain = ({ rotation }: Rotation, { isCutOff }: Pick<AnswerUnread, 'isCutOff'>): boolean =>
  rotation === 'none' || (isCutOff && rotation !== 'single_use')

/** By whose move it is: the operator's, nobody's, or that of the owner of the account. */
export function toldOf(unread: AnswerUnread, integration: Rotation, { name }: Pick<Connection, 'name'>): Error {
  if (!unread.isCutOff) return unread
  return mayBeSentAgain(integration, unread) ? new ThirdPartyError(unread.message) : new GrantRevoked(name)
}

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
