import { Router } from 'express'
import type { ConsoleFlows } from '../../flows/console-flows.ts'
import { sessionOf, supportActor } from '../console-guards.ts'
import { destroySession } from '../console-session.ts'

export const signOutPages = ({ console, https }: { console: ConsoleFlows; https: boolean }) =>
  Router()
    .post('/sign-out', async (req, res) => {
      await console.endSession(req.sessionID, sessionOf(req))
      await destroySession(req, res, https)
      res.redirect(303, '/support/signed-out')
    })
    .post('/sign-out-everywhere', async (req, res) => {
      await console.endAllSessions({ user: sessionOf(req).user, actor: supportActor(req, res) })
      await destroySession(req, res, https)
      res.redirect(303, '/support/signed-out')
    })
