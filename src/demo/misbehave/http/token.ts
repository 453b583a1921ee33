import { createHash } from 'node:crypto'
import { json, type Request, type RequestHandler, type Response, Router, urlencoded } from 'express'
import { clientCondition } from '../domain/client-check.ts'
import { type Condition, errorAnswer } from '../domain/errors.ts'
import {
  grantByAccessToken,
  grantByRefreshToken,
  issueAccessToken,
  openGrant,
  stateOf,
  useRefreshToken,
} from '../domain/grants.ts'
import { type IdTokenKey, idToken } from '../domain/id-token.ts'
import type { AuthorizationCode, Instance } from '../domain/instance.ts'
import { type Issue, tokenAnswer } from '../domain/token-answer.ts'
import { deliver, jsonAnswer } from './deliver.ts'
import { bodyOf, credentialsOf, hostOf, instanceOf, type Parameters, record } from './request.ts'

type Outcome = Issue | Condition

/** Parses both formats: `token_request` decides which is accepted. */
export const bodyParsers: RequestHandler[] = [urlencoded({ extended: false }), json({ strict: false })]

export const tokenRoutes = (key: () => Promise<IdTokenKey>): Router =>
  Router()
    .post('/token', bodyParsers, (req: Request, res: Response) => answer(req, res, key, 'token'))
    .post('/refresh', bodyParsers, (req: Request, res: Response) => answer(req, res, key, 'refresh'))

async function answer(req: Request, res: Response, key: () => Promise<IdTokenKey>, endpoint: 'token' | 'refresh') {
  const instance = instanceOf(res)
  const { switches } = instance
  const parameters = bodyOf(req)
  record(instance, endpoint, req, parameters)
  const outcome = await outcomeOf(req, res, key, { parameters, endpoint })
  const isRefresh = parameters.grant_type === 'refresh_token'
  const manner = isRefresh ? switches.refresh_manner : switches.token_manner
  if (typeof outcome === 'string') {
    if (isRefresh && switches.refresh_errors === 'bare')
      return deliver(res, { status: 400, body: '', type: 'text/plain' }, manner, switches)
    const { status, body } = errorAnswer(outcome, switches)
    return deliver(res, jsonAnswer(status, body, switches.answer_format), manner, switches)
  }
  deliver(res, jsonAnswer(200, tokenAnswer(instance, outcome), switches.answer_format), manner, switches)
}

type TokenCall = { parameters: Parameters; endpoint: 'token' | 'refresh' }

async function outcomeOf(
  req: Request,
  res: Response,
  key: () => Promise<IdTokenKey>,
  { parameters, endpoint }: TokenCall,
): Promise<Outcome> {
  const instance = instanceOf(res)
  const credentials = credentialsOf(req, parameters, instance.switches)
  const wrong = formCondition(req, instance, parameters) ?? clientCondition(instance, credentials)
  if (wrong) return wrong
  const client = credentials.id ?? ''
  const isElsewhere = instance.switches.refresh_at === 'elsewhere'
  if (parameters.grant_type === 'refresh_token') {
    return isElsewhere === (endpoint === 'refresh') ? refresh(instance, client, parameters) : 'grant_type_unknown'
  }
  if (endpoint === 'refresh') return 'grant_type_unknown'
  if (parameters.grant_type === 'authorization_code') return exchange(res, client, parameters, key)
  if (parameters.grant_type !== 'fb_exchange_token' || instance.switches.long_lived === 'none')
    return 'grant_type_unknown'
  return instance.switches.long_lived === 'exchange' ? prolong(instance, parameters) : 'request_invalid'
}

function formCondition(req: Request, { switches }: Instance, parameters: Parameters): Condition | undefined {
  const isJson = req.is('json') === 'json'
  const { token_request: format, token_parameter: parameter, token_header: header } = switches
  const isWrongFormat = format !== 'any' && isJson !== (format === 'json')
  const lacks = (parameter && parameters[parameter] === undefined) || (header && req.get(header) === undefined)
  const isPkceRefused = switches.pkce === 'refused' && parameters.code_verifier !== undefined
  return isWrongFormat || lacks || isPkceRefused ? 'request_invalid' : undefined
}

async function exchange(
  res: Response,
  client: string,
  parameters: Parameters,
  key: () => Promise<IdTokenKey>,
): Promise<Outcome> {
  const instance = instanceOf(res)
  const code = instance.codes.get(parameters.code ?? '')
  if (!code || code.client !== client || code.host !== hostOf(res)) return 'code_invalid'
  if (code.redirectUri !== parameters.redirect_uri) return 'redirect_uri_mismatch'
  const pkce = verifierCondition(instance, code, parameters.code_verifier)
  if (pkce) return pkce
  instance.codes.delete(parameters.code ?? '')
  const grant = openGrant(instance, code)
  return {
    grant,
    accessToken: issueAccessToken(instance, grant, instance.switches.access_lifetime),
    refreshToken: grant.refreshTokens[0]?.token,
    idToken: code.scopes.includes('openid') ? await idToken(instance, await key(), code) : undefined,
  }
}

function verifierCondition(
  { switches: { pkce } }: Instance,
  { challenge }: AuthorizationCode,
  verifier: string | undefined,
): Condition | undefined {
  if (pkce === 'ignored' || pkce === 'refused') return undefined
  const expected = createHash('sha256')
    .update(verifier ?? '')
    .digest('base64url')
  return challenge === undefined || challenge === expected ? undefined : 'code_invalid'
}

function refresh(instance: Instance, client: string, parameters: Parameters): Outcome {
  const sent = parameters[instance.switches.refresh_token_parameter] ?? ''
  const grant = grantByRefreshToken(instance, sent)
  if (instance.switches.refresh_scope === 'needed' && !parameters.scope) return 'scope_invalid'
  if (!grant || grant.client !== client) return 'grant_ended'
  if (stateOf(grant, instance) === 'idle') return 'grant_idle'
  const next = useRefreshToken(instance, grant, sent)
  if (next === undefined) return 'grant_ended'
  const accessToken = issueAccessToken(instance, grant, instance.switches.access_lifetime)
  return { grant, accessToken, refreshToken: next === sent ? undefined : next }
}

const longLivedSeconds = 60 * 86_400

function prolong(instance: Instance, parameters: Parameters): Outcome {
  const grant = grantByAccessToken(instance, parameters.fb_exchange_token)
  if (!grant || stateOf(grant, instance) !== 'alive') return 'grant_ended'
  return { grant, accessToken: issueAccessToken(instance, grant, longLivedSeconds) }
}
