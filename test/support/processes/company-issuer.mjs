// A company's identity provider as a program: sign-in by OpenID Connect, and identity assertions by token exchange
// (RFC 8693, draft-ietf-oauth-identity-assertion-authz-grant-04 §4.3). Settings come as JSON in COMPANY.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'

// Its warnings are about Node 20 and about development.
console.warn = () => {}
const { errors, Provider } = await import('oidc-provider')

const { port, clients, audience, clientIdThere } = JSON.parse(process.env.COMPANY ?? '')
const issuer = `http://127.0.0.1:${port}`
const alg = 'ES256'
const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
const key = { ...(await exportJWK(privateKey)), kid: 'company-1', alg, use: 'sig' }

const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange'
const idJag = 'urn:ietf:params:oauth:token-type:id-jag'

const provider = new Provider(issuer, {
  clients: clients.map((/** @type {object} */ client) => ({
    ...client,
    grant_types: ['authorization_code', tokenExchange],
    id_token_signed_response_alg: alg,
  })),
  jwks: { keys: [key] },
  cookies: { keys: [randomUUID()] },
  enabledJWA: { idTokenSigningAlgValues: [alg] },
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  discovery: { identity_chaining_requested_token_types_supported: [idJag] },
})

/** @param {import('oidc-provider').TokenEndpointGrantContext<Record<string, string>>} ctx */
async function exchange(ctx) {
  const { client, params } = ctx.oidc
  if (params.requested_token_type !== idJag || params.audience !== audience) throw new errors.InvalidTarget()
  const options = { issuer, audience: client.clientId, algorithms: [alg] }
  const { payload } = await jwtVerify(params.subject_token ?? '', publicKey, options).catch(() => {
    throw new errors.InvalidGrant('the subject token is not valid')
  })
  const claims = { client_id: clientIdThere, resource: params.resource, scope: params.scope, jti: randomUUID() }
  const assertion = await new SignJWT(claims)
    .setProtectedHeader({ alg, kid: key.kid, typ: 'oauth-id-jag+jwt' })
    .setIssuer(issuer)
    .setSubject(String(payload.sub))
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
  ctx.body = { issued_token_type: idJag, access_token: assertion, token_type: 'N_A', expires_in: 300 }
}

const parameters = ['requested_token_type', 'audience', 'resource', 'scope', 'subject_token', 'subject_token_type']
provider.registerGrantType(tokenExchange, exchange, parameters)

createServer(provider.callback()).listen(port, '127.0.0.1', () => process.send?.({ issuer }))
process.on('disconnect', () => process.exit())
