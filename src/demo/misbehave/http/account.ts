import { type RequestHandler, type Response, Router } from 'express'
import { worksAt } from '../domain/grants.ts'
import type { Grant, Instance } from '../domain/instance.ts'
import type { Manner } from '../domain/switches.ts'
import { accountMembers, apiPlace } from '../domain/token-answer.ts'
import { deliver, jsonAnswer } from './deliver.ts'
import { bearerOf, instanceOf, queryOf, record } from './request.ts'

export const accountRoutes = (): Router =>
  Router()
    .get('/userinfo', userinfo)
    .get('/api/files', files(undefined))
    .get('/api/in/:place/files', (req, res, next) => files(req.params.place)(req, res, next))

const userinfo: RequestHandler = (req, res) => {
  const instance = instanceOf(res)
  record(instance, 'userinfo', req, {})
  const grant = worksAt(instance, bearerOf(req))
  const { userinfo_manner: manner, identity } = instance.switches
  if (identity !== 'id_token' && identity !== 'userinfo') return void res.status(404).end()
  if (!grant) return challenge(res, instance, manner)
  const { account_id: id, account_email: email } = accountMembers(grant.account)
  deliver(res, jsonAnswer(200, { sub: id, id, email }), manner, instance.switches)
}

const files =
  (place: string | undefined): RequestHandler =>
  (req, res) => {
    const instance = instanceOf(res)
    const { api_manner: manner, api_header: header } = instance.switches
    record(instance, 'api', req, queryOf(req))
    const grant = worksAt(instance, bearerOf(req))
    if (!grant) return challenge(res, instance, manner)
    if (header !== undefined && req.get(header) === undefined) return void res.status(400).json({ error: 'header' })
    if (!expectedPlaces(instance, grant).includes(place)) return void res.status(404).json({ error: 'not_found' })
    const body = { files: [{ name: 'plan.txt', owner: grant.account }] }
    deliver(res, jsonAnswer(200, body), manner, instance.switches)
  }

/** A profile fills a placeholder with one path segment, so a base that is a whole URL is accepted as one segment. */
const expectedPlaces = (instance: Instance, grant: Grant): Array<string | undefined> => {
  const { api_base_member: inAnswer, callback_member: inCallback } = instance.switches
  if (inAnswer !== undefined) return [grant.place, apiPlace(instance, grant)]
  return [inCallback === undefined ? undefined : grant.place]
}

function challenge(res: Response, { switches }: Instance, manner: Manner): void {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  deliver(res, { ...jsonAnswer(401, { error: 'invalid_token' }), headers }, manner, switches)
}
