// Each way of revocation has its own address. Only the one selected by `revocation` exists.
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { clientCondition, knownClient } from '../domain/client-check.ts'
import { errorAnswer } from '../domain/errors.ts'
import { grantByAccessToken, grantByRefreshToken, revokeGrant, stateOf } from '../domain/grants.ts'
import type { Grant, Instance } from '../domain/instance.ts'
import type { Switches } from '../domain/switch-table.ts'
import { accountMembers } from '../domain/token-answer.ts'
import { deliver, jsonAnswer } from './deliver.ts'
import { bearerOf, bodyOf, credentialsOf, instanceOf, record } from './request.ts'
import { bodyParsers } from './token.ts'

type Style = Switches['revocation']

export const revocationRoutes = (): Router =>
  Router()
    .post('/revoke', bodyParsers, way('rfc7009', byToken))
    .post('/token/revoke', way('bearer', byBearer))
    .delete('/applications/:client/grant', bodyParsers, way('delete', byClient))
    .post('/oauth2/revoke', bodyParsers, way('client_header', byClientHeader))
    .post('/deauthorize', bodyParsers, way('deauthorize', byAccount))

/** Returns the grants to end, or undefined if the caller is not authorized. */
type Finder = (req: Request, instance: Instance) => Grant[] | undefined

const way =
  (style: Style, find: Finder): RequestHandler =>
  (req, res, next) => {
    const instance = instanceOf(res)
    if (instance.switches.revocation !== style) return next()
    record(instance, 'revoke', req, bodyOf(req))
    const grants = find(req, instance)
    for (const grant of grants ?? []) revokeGrant(instance, grant)
    reply(res, instance, grants !== undefined)
  }

function reply(res: Response, { switches }: Instance, isAllowed: boolean): void {
  const { status, body } = isAllowed ? { status: 200, body: { ok: true } } : errorAnswer('secret_wrong', switches)
  deliver(res, jsonAnswer(status, body), switches.revocation_manner, switches)
}

const found = (grant: Grant | undefined): Grant[] => (grant ? [grant] : [])

/** RFC 7009 §2.2: an unknown token is not an error. */
function byToken(req: Request, instance: Instance): Grant[] | undefined {
  const parameters = bodyOf(req)
  if (clientCondition(instance, credentialsOf(req, parameters, instance.switches))) return undefined
  return found(grantByRefreshToken(instance, parameters.token) ?? grantByAccessToken(instance, parameters.token))
}

function byBearer(req: Request, instance: Instance): Grant[] | undefined {
  const grant = grantByAccessToken(instance, bearerOf(req))
  return grant && stateOf(grant, instance) === 'alive' ? [grant] : undefined
}

function byClient(req: Request, instance: Instance): Grant[] | undefined {
  const credentials = credentialsOf(req, {}, instance.switches)
  if (credentials.id !== req.params.client || clientCondition(instance, credentials)) return undefined
  return found(grantByAccessToken(instance, bodyOf(req).access_token))
}

function byClientHeader(req: Request, instance: Instance): Grant[] | undefined {
  const { client_id: id, access_token: token } = bodyOf(req)
  const [, secret] = /^Client (.+)$/.exec(req.get('authorization') ?? '') ?? []
  const isRight = secret !== undefined && knownClient(instance, id)?.secret === secret
  return isRight ? found(grantByAccessToken(instance, token)) : undefined
}

function byAccount(req: Request, instance: Instance): Grant[] | undefined {
  const parameters = bodyOf(req)
  const secret = bearerOf(req)
  const client = knownClient(instance, parameters.client_id)
  if (!client || client.secret !== secret) return undefined
  const isTheirs = (grant: Grant) =>
    grant.client === client.id && accountMembers(grant.account).account_id === parameters.account_id
  return instance.grants.filter(isTheirs)
}
