// What a token is good for: who the user is, and a small API.
import { type RequestHandler, type Response, Router } from 'express'
import { worksAt } from '../domain/grants.ts'
import type { Grant, Instance } from '../domain/instance.ts'
import type { Manner } from '../domain/switches/manners.ts'
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
  if (identity === 'none' || identity === 'token_answer') return void res.status(404).end()
  if (!grant) return challenge(res, instance, manner)
  const { account_id: id, account_email: email } = accountMembers(grant.account)
  deliver(res, jsonAnswer(200, { sub: id, id, email }), manner, instance.switches)
}

/** One place alone answers where the callback or the token answer names it. */
const files =
  (place: string | undefined): RequestHandler =>
  (req, res) => {
    const instance = instanceOf(res)
    const { api_manner: manner } = instance.switches
    record(instance, 'api', req, queryOf(req))
    const grant = worksAt(instance, bearerOf(req))
    if (!grant) return challenge(res, instance, manner)
    if (!expectedPlaces(instance, grant).includes(place)) return void res.status(404).json({ error: 'not_found' })
    const body = { files: [{ name: 'plan.txt', owner: grant.account }] }
    deliver(res, jsonAnswer(200, body), manner, instance.switches)
  }

/** A profile fills a gap with one part of a path, so a base that is a whole address is taken as one part, too. */
const expectedPlaces = (instance: Instance, grant: Grant): Array<string | undefined> => {
  const { api_base_member: inAnswer, callback_member: inCallback } = instance.switches
  if (inAnswer !== undefined) return [grant.place, apiPlace(instance, grant)]
  return [inCallback === undefined ? undefined : grant.place]
}

function challenge(res: Response, { switches }: Instance, manner: Manner): void {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  deliver(res, { ...jsonAnswer(401, { error: 'invalid_token' }), headers }, manner, switches)
}
