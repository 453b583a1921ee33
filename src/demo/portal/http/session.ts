import type { Request, RequestHandler } from 'express'

export type User = { id: string; displayName: string; email: string }

export type Notice = { kind: 'success' | 'error'; title: string; text: string }

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

/** Routes behind requireUser have one. */
export const userOf = (req: Request): User => portalOf(req).user as User

export const requireUser: RequestHandler = (req, res, next) => {
  if (req.session.acme?.user) return next()
  res.redirect(303, '/sign-in')
}

/** A new id at sign-in, against session fixation. */
export const signIn = async (req: Request, user: User): Promise<void> => {
  await settled((done) => req.session.regenerate(done))
  req.session.acme = { user }
  await saved(req)
}

export const signOut = (req: Request): Promise<void> => settled((done) => req.session.destroy(done))

/** Before every redirect: the next request may arrive before the store has heard of this one. */
export const saved = (req: Request): Promise<void> => settled((done) => req.session.save(done))

const settled = (act: (done: (error?: unknown) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())))
