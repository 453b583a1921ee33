import { Failure } from '../../../shared/domain/failure.ts'
import { overLimit } from '../../../shared/domain/limit.ts'
import { accountAt } from '../../domain/relay/relay.ts'
import type { GetLiveToken } from '../access-token.ts'
import { describeFailure, type RelayFunction, type RelayPorts } from './relay-request.ts'

/** The name of this in tool policies and recorded calls. */
export const accessTokenName = 'access_token'

const maxPerMinute = 30

type Ports = Pick<RelayPorts, 'grantNotes' | 'policyOf' | 'takeCall'> & { liveToken: GetLiveToken }

export type IssuedToken = {
  accessToken: string
  expiresAt: Date
  /** How the app expects the token. */
  header: string
  prefix: string
  apiHosts: readonly string[]
}

/** Never a refresh token, and never a token without an end. */
export async function issueAccessToken(ports: Ports, opened: RelayFunction, host: string): Promise<IssuedToken> {
  const account = accountAt(opened.accounts, host)
  const { integration, connection } = account
  const policy = ports.policyOf(connection)
  if (!policy.mayIssueTokens) throw refused(`The operator does not allow access tokens of ${integration.displayName}.`)
  const count = policy.perMinute(accessTokenName) ?? maxPerMinute
  const seconds = ports.takeCall(`${opened.id}|${connection.id}|${accessTokenName}`, count)
  if (seconds) {
    const words = overLimit(seconds, { count, perSeconds: 60 }, 'access tokens')
    throw new Failure('too_many_requests', words, { retryAfterSeconds: seconds })
  }
  try {
    const { token, goodUntil } = await ports.liveToken(integration, connection)
    if (!goodUntil) throw refused(`The access token of this account does not expire, so it is not given out.`)
    const { tokenHeader: header, tokenPrefix: prefix } = integration.api
    return { accessToken: token.reveal(), expiresAt: goodUntil, header, prefix, apiHosts: integration.apiHosts }
  } catch (error) {
    throw error instanceof Failure ? error : await describeFailure(ports, account, error)
  }
}

const refused = (detail: string) => new Failure('role_missing', detail)
