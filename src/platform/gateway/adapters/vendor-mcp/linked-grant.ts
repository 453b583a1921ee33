// The grant of a connection, as the library of the protocol asks for it.
import type { Secret } from '../../../../kit/crypto/secret.ts'
import { GrantRevoked, ThirdPartyError } from '../../domain/connection.ts'
import type { VendorTarget } from '../../domain/vendor/vendor-mcp.ts'
import { TokenFailure } from './vendor-errors.ts'

/** So many may still be in an answer that is on its way. */
const mostTokens = 3

function note(sent: string[], token: string): void {
  if (sent.at(-1) === token) return
  sent.push(token)
  if (sent.length > mostTokens) sent.shift()
}

/** The grant that the platform refreshes; the library asks for a token with each request, and again after a 401. */
export function linkedGrant({ token }: VendorTarget, sent: Secret<string[]>) {
  let last: Secret | undefined
  const fetchToken = async (refused?: Secret) => {
    try {
      return await token(refused)
    } catch (error) {
      if (error instanceof GrantRevoked || error instanceof ThirdPartyError) throw error
      throw new TokenFailure('no token', { cause: error })
    }
  }
  const renew = async () => void (await fetchToken(last))
  return {
    async token() {
      last = await fetchToken()
      note(sent.reveal(), last.reveal())
      return last.reveal()
    },
    renew,
    onUnauthorized: renew,
  }
}
