import type * as openid from 'openid-client'
import type { Secret } from '../../../../kit/crypto/secret.ts'
import type { GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { Config, UpstreamAccount } from '../../../domain/link.ts'
import type { Provider } from '../../../domain/ports/provider.ts'
import { notingFetch } from '../noted-calls.ts'
import { accountIn, accountMembers, askUserinfo } from './account.ts'
import { keptMembers, scopesOf } from './granted-members.ts'
import { packAnswer, unpackAnswer } from './stored-answer.ts'
import { answerMembers, tokenMember } from './token-answer.ts'
import { unavailable } from './translate-error.ts'

type Needs = { fetch: GuardedFetch; metadataOf(integration: Integration): Promise<openid.ServerMetadata> }

type RefreshFacts = { integration: Integration; members: Record<string, unknown>; config: Config }

export const describeRefresh =
  ({ fetch, metadataOf }: Needs): Provider['describeRefresh'] =>
  async ({ integration, config, note }, trialRefresh) => {
    const members = answerMembers(unpackAnswer(trialRefresh))
    const account = await readAccount(
      { fetch: notingFetch(fetch, note, 'userinfo'), metadataOf },
      { integration, members, config },
    )
    return { account, scopes: scopesOf(members, integration), config: keptMembers(members, integration, config) }
  }

async function readAccount(
  { fetch, metadataOf }: Needs,
  { integration, members, config }: RefreshFacts,
): Promise<UpstreamAccount | undefined> {
  const { from, ...named } = integration.account
  const accountFrom = (source: unknown, claimed = false) =>
    accountMembers(source, named).id === undefined ? undefined : accountIn(source, named, claimed)
  switch (from) {
    case 'none':
      return undefined
    case 'token_response':
      return accountFrom(members)
    case 'callback': {
      const accessToken = tokenMember(members, 'access_token')
      if (named.proof === undefined || !accessToken) return accountFrom(config, true)
      await askUserinfo(fetch, integration, named.proof, accessToken.reveal())
      return accountFrom(config)
    }
    case 'inputs':
      return accountFrom(config)
    default: {
      const accessToken = tokenMember(members, 'access_token')
      const metadata = await metadataOf(integration).catch((error) => Promise.reject(unavailable(error)))
      const { userinfo_endpoint: endpoint } = metadata
      if (!accessToken || !endpoint) return undefined
      const asked = askUserinfo(fetch, integration, endpoint, accessToken.reveal())
      // A refresh need not return an ID token (OpenID Connect Core §12.2), and userinfo may not be granted.
      return accountFrom(from === 'userinfo' ? await asked : await asked.catch(undefinedIfRefused))
    }
  }
}

function undefinedIfRefused(error: unknown): undefined {
  if (error instanceof DependencyError && !error.retry) return undefined
  throw error
}

export function wrapRefreshToken(refreshToken: Secret, at: Date): Secret {
  const body = JSON.stringify({ refresh_token: refreshToken.reveal() })
  return packAnswer({
    bytes: Buffer.from(body).toString('base64'),
    contentType: 'application/json',
    contentEncoding: '',
    isPartial: false,
    nonce: '',
    receivedAt: at.getTime(),
  })
}
