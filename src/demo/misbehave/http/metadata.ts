import { json, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import type { IdTokenKey } from '../domain/id-token.ts'
import { newToken } from '../domain/instance.ts'
import type { Switches } from '../domain/switch-table.ts'
import { deliver, jsonAnswer } from './deliver.ts'
import { baseOf, instanceOf, record } from './request.ts'

export const metadataRoutes = (key: () => Promise<IdTokenKey>): Router =>
  Router()
    .get('/.well-known/openid-configuration', metadata)
    .get('/.well-known/oauth-authorization-server', metadata)
    .get('/jwks', async (_req, res) => {
      res.json({ keys: [(await key()).jwk] })
    })
    .post('/register', json(), register)

export const metadata: RequestHandler = (_req, res) => {
  const { switches } = instanceOf(res)
  deliver(res, jsonAnswer(200, documentOf(baseOf(res), switches)), switches.discovery_manner, switches)
}

const documentOf = (base: string, switches: Switches) => ({
  issuer: base,
  authorization_endpoint: `${base}/authorize`,
  token_endpoint: `${base}/token`,
  jwks_uri: `${base}/jwks`,
  registration_endpoint: `${base}/register`,
  ...(['id_token', 'userinfo'].includes(switches.identity) && { userinfo_endpoint: `${base}/userinfo` }),
  ...(switches.revocation === 'rfc7009' && { revocation_endpoint: `${base}/revoke` }),
  ...(switches.pkce !== 'refused' && { code_challenge_methods_supported: ['S256'] }),
  ...(switches.callback_iss === 'named' && { authorization_response_iss_parameter_supported: true }),
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  id_token_signing_alg_values_supported: ['RS256'],
  subject_types_supported: ['public'],
})

const Registration = z.object({
  redirect_uris: z.array(z.string()).min(1),
  token_endpoint_auth_method: z.string().default('client_secret_basic'),
})

/** RFC 7591. */
const register: RequestHandler = (req, res) => {
  const instance = instanceOf(res)
  record(instance, 'register', req, {})
  const asked = Registration.safeParse(req.body)
  const isOne = instance.switches.callback_rules !== 'one' || asked.data?.redirect_uris.length === 1
  if (!asked.success || !isOne) return void res.status(400).json({ error: 'invalid_redirect_uri' })
  const { redirect_uris: redirectUris, token_endpoint_auth_method: method } = asked.data
  const id = newToken('client')
  const secret = method === 'none' ? undefined : newToken('secret')
  instance.clients.set(id, { id, secret, redirectUris, registeredAt: instance.now() })
  res.status(201).json({
    client_id: id,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    redirect_uris: redirectUris,
    token_endpoint_auth_method: method,
  })
}
