// Filebox's authorization server: oidc-provider configured like the large providers.
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { Provider } from '../../kit/http/oidc-provider.ts'
import type { Grants } from './adapters/grants.ts'
import type { KeptKeys } from './adapters/kept-keys.ts'
import type { Records } from './adapters/records.ts'
import { accountById } from './domain/accounts.ts'
import { asksForOfflineAccess, earnsRefreshToken, knownScopes } from './domain/permissions.ts'

export type FileboxClient = { id: string; secret: string; name: string; redirectUris: readonly string[] }

type ProviderNeeds = {
  url: string
  client: FileboxClient
  keys: KeptKeys
  grants: Grants
  records: (model: string) => Records
  rotateRefreshTokens: boolean
  renderError: (details: { error: string; description: string }) => Promise<string>
  onError: (error: unknown) => void
}

/** The client of Filebox's own pages, which need no consent. */
export const ownClientId = 'filebox-web'

export function createProvider(needs: ProviderNeeds): Provider {
  const offline = needs.records('OfflineCode')
  const provider = new Provider(needs.url, {
    ...policy(needs),
    issueRefreshToken: async (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') && Boolean(await offline.find(code.jti)),
    // Offline access lasts until the owner removes it: signing out must not end it.
    expiresWithSession: async (ctx) => !asksForOfflineAccess(ctx.oidc.params?.access_type),
    loadExistingGrant: (ctx) => existingGrant(ctx, needs.grants),
  })
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next()
    const code = ctx.oidc?.entities?.AuthorizationCode
    if (code && isAuthorization(ctx) && earnsRefreshToken(outcomeOf(ctx)))
      await offline.upsert(code.jti, {}, codeSeconds)
  })
  provider.on('server_error', (_ctx, error) => needs.onError(error))
  return provider
}

const codeSeconds = 60
const hour = 3_600
const day = 24 * hour

function policy({ url, client, keys, records, rotateRefreshTokens, renderError }: ProviderNeeds): Configuration {
  return {
    adapter: records,
    jwks: { keys: [keys.signing as never] },
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        client_name: client.name,
        redirect_uris: [...client.redirectUris],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        client_id: ownClientId,
        client_name: 'Filebox',
        redirect_uris: [`${url}/account`],
        grant_types: [],
        response_types: ['none'],
        token_endpoint_auth_method: 'none',
      },
    ],
    scopes: [...knownScopes],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Puts the claims of scopes into the ID token, as Google does.
    conformIdTokenClaims: false,
    extraParams: ['access_type'],
    responseTypes: ['code', 'none'],
    pkce: { required: () => true },
    rotateRefreshToken: rotateRefreshTokens,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async (_ctx, caller, token) => token.clientId === caller.clientId },
      rpInitiatedLogout: { enabled: false },
    },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    // Cookies ignore ports, so names must be unique on this host.
    cookies: {
      names: { session: 'filebox_session', interaction: 'filebox_interaction', resume: 'filebox_resume' },
      keys: keys.cookies,
    },
    ttl: {
      AccessToken: hour,
      AuthorizationCode: codeSeconds,
      IdToken: hour,
      Interaction: hour,
      RefreshToken: 180 * day,
      Session: 14 * day,
      Grant: 365 * day,
    },
    findAccount: async (_ctx, id) => {
      const account = accountById(id)
      return (
        account && {
          accountId: id,
          claims: async () => ({ sub: id, email: account.email, email_verified: true, name: account.name }),
        }
      )
    },
    renderError: async (ctx, out) => {
      ctx.type = 'html'
      ctx.body = await renderError({ error: out.error, description: String(out.error_description ?? '') })
    },
  }
}

const isAuthorization = (ctx: KoaContextWithOIDC) => ['authorization', 'resume'].includes(ctx.oidc.route)

const outcomeOf = (ctx: KoaContextWithOIDC) => ({
  accessType: ctx.oidc.params?.access_type,
  consentGivenNow: Boolean(ctx.oidc.result?.consent),
})

/** Looks up by account and app, so a user is not asked again in another browser. */
async function existingGrant({ oidc }: KoaContextWithOIDC, grants: Grants) {
  const { accountId } = oidc.session ?? {}
  const clientId = oidc.client?.clientId
  if (!accountId || !clientId) return undefined
  const id = oidc.result?.consent?.grantId ?? (await grants.idFor(accountId, clientId))
  if (id) return oidc.provider.Grant.find(id)
  if (clientId !== ownClientId) return undefined
  const own = new oidc.provider.Grant({ accountId, clientId })
  own.addOIDCScope('openid')
  await own.save()
  return own
}
