// Sessions of the support console. Pages of a flow know nothing of them, and they know nothing of a flow.
import { randomBytes } from 'node:crypto'
import type { CookieOptions, Request, RequestHandler, Response } from 'express'
import session, { type Store } from 'express-session'
import { type ConsoleSession, idleSeconds, type SignInAttempt } from '../../domain/console.ts'

declare module 'express-session' {
  interface SessionData {
    signedIn?: ConsoleSession
    attempt?: SignInAttempt
  }
}

export type SessionSettings = { store: Store; secrets: string[]; https: boolean }

const cookieName = (https: boolean) => (https ? '__Host-console' : 'console')

// Lax, not Strict: the way back from the issuer is a navigation that another site starts.
const cookieOptions = (https: boolean): CookieOptions => ({ httpOnly: true, sameSite: 'lax', secure: https, path: '/' })

export const consoleSessions = ({ store, secrets, https }: SessionSettings): RequestHandler =>
  session({
    name: cookieName(https),
    secret: secrets,
    store,
    genid: () => randomBytes(32).toString('base64url'),
    resave: false,
    saveUninitialized: false,
    rolling: true,
    cookie: { ...cookieOptions(https), maxAge: idleSeconds * 1_000 },
  })

/** A new id, and the old one is dead: whoever planted or saw it is left outside. */
export const freshSession = (req: Request): Promise<void> => settled((done) => req.session.regenerate(done))

/** Before every redirect: the next request may arrive before the store has heard of this one. */
export const savedSession = (req: Request): Promise<void> => settled((done) => req.session.save(done))

export async function endedSession(req: Request, res: Response, https: boolean): Promise<void> {
  await settled((done) => req.session.destroy(done))
  res.clearCookie(cookieName(https), cookieOptions(https))
}

const settled = (act: (done: (error?: unknown) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())))
