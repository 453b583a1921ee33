import { Router } from 'express'
import { within } from '../../../kit/background-work.ts'
import type { Flows } from '../../flows/flows.ts'
import { apiActor, callerOf } from '../guards.ts'
import { linkAnswer, sessionAnswer } from './answers.ts'
import { CompletionBody, ConnectSessionBody } from './schemas.ts'

export type ConnectSessionApi = {
  flows: Pick<Flows, 'mintConnectSession' | 'readSession' | 'cancelSession' | 'completeLink'>
  publicUrl: string
}

/** A tenant's page waits this long for the whole link; after that it is told "pending" and reads the link later. */
const inlineMs = 8_000

export const connectSessionApi = ({ flows, publicUrl }: ConnectSessionApi) =>
  Router()
    .post('/connect-sessions', async (req, res) => {
      const body = ConnectSessionBody.parse(req.body)
      const { session, url } = await flows.mintConnectSession({
        ...body,
        completionChallenge: body.completionChallenge,
        ttlSeconds: body.ttlSeconds,
        caller: callerOf(res),
        actor: apiActor(req, res),
      })
      res.status(201).json({ ...sessionAnswer(session, new Date()), url })
    })
    .get('/connect-sessions/:id', async (req, res) => {
      const session = await flows.readSession({ caller: callerOf(res), id: req.params.id })
      res.json(sessionAnswer(session, new Date()))
    })
    .post('/connect-sessions/:id/cancel', async (req, res) => {
      const input = { caller: callerOf(res), actor: apiActor(req, res), id: req.params.id }
      res.json(sessionAnswer(await flows.cancelSession(input), new Date()))
    })
    .post('/connect-sessions/:id/complete', async (req, res) => {
      const { link, done } = await flows.completeLink({
        ...CompletionBody.parse(req.body),
        sessionId: req.params.id,
        caller: callerOf(res),
        actor: apiActor(req, res),
      })
      res.json(linkAnswer((await within(done, inlineMs)) ?? link, publicUrl))
    })
