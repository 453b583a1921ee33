import type { Request, Response, Router } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { ownPages, safeReturnPath } from '../domain/own-pages.ts'
import { fromOurPages } from './interaction-pages.ts'

export type Sessions = {
  user(req: Request, res: Response): Promise<Caller | undefined>
  end(req: Request, res: Response): Promise<void>
}

/** The way back from signing in to a page of ours, and the way out. */
export const sessionPages = ({ sessions, publicUrl }: { sessions: Sessions; publicUrl: string }): Router =>
  exactRouter()
    .get(ownPages.returnPath, async (req, res) => {
      // Without this look, a browser that keeps no cookies would be sent in a circle.
      if (await sessions.user(req, res)) return res.redirect(303, safeReturnPath(req.query.state))
      res.status(400).render('platform/oauth/error', {
        error: 'not_signed_in',
        description: 'Your browser did not keep the sign-in. Allow cookies of this site, and try again.',
      })
    })
    .post('/oauth/sign-out', fromOurPages(publicUrl), async (req, res) => {
      await sessions.end(req, res)
      res.render('platform/oauth/signed-out')
    })
