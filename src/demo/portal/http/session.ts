import { type Request, type RequestHandler, Router } from 'express'

type User = { id: string; displayName: string; email: string }

type Notice = { kind: 'success' | 'error'; title: string; text: string }

type Portal = {
  user?: User
  notice?: Notice
}

declare module 'express-session' {
  interface SessionData {
    acme?: Portal
  }
}

export const portalOf = (req: Request): Portal => {
  req.session.acme ??= {}
  return req.session.acme
}

/** Only for routes behind requireUser. */
export const userOf = (req: Request): User => portalOf(req).user as User

export const requireUser: RequestHandler = (req, res, next) => {
  if (req.session.acme?.user) return next()
  res.redirect(303, '/sign-in')
}

/** Changes the session ID against session fixation. */
const signIn = async (req: Request, user: User): Promise<void> => {
  await settled((done) => req.session.regenerate(done))
  req.session.acme = { user }
  await saved(req)
}

const signOut = (req: Request): Promise<void> => settled((done) => req.session.destroy(done))

/** Call before every redirect: the next request may arrive before the session is stored. */
export const saved = (req: Request): Promise<void> => settled((done) => req.session.save(done))

const settled = (act: (done: (error?: unknown) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())))

/** Acme has one user, who needs no password. */
export const demoUser: User = { id: 'user-1', displayName: 'Acme User', email: 'user@acme.example' }

export const signInPages = (): Router =>
  Router()
    .get('/sign-in', (_req, res) => res.render('demo/portal/sign-in', { user: demoUser }))
    .post('/sign-in', async (req, res) => {
      await signIn(req, demoUser)
      res.redirect(303, '/integrations')
    })
    .post('/sign-out', async (req, res) => {
      await signOut(req)
      res.clearCookie('acme_session').redirect(303, '/sign-in')
    })
