// Sessions of the support console. They are independent of the cookies of linking.
import { randomBytes } from 'node:crypto'
import type { CookieOptions, Request, RequestHandler, Response } from 'express'
import session, { type Store } from 'express-session'
import { type ConsoleSession, idleSeconds, type SignInAttempt } from '../../domain/console.ts'

declare module 'express-session' {
  interface SessionData {
    signedIn?: ConsoleSession
    attempt?: SignInAttempt
    /** What was done, for the next page to say; a reload does not say it again. */
    notice?: string
    /** Of campaigns that were started in this session, by ID: what their links are made of. */
    campaignSeeds?: Record<string, string>
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

/** Issues a new id and ends the old one, against session fixation. */
export const regenerateSession = (req: Request): Promise<void> => fromCallback((done) => req.session.regenerate(done))

/** Call before every redirect: the next request may arrive before the store has saved this one. */
export const saveSession = (req: Request): Promise<void> => fromCallback((done) => req.session.save(done))

export function takeNotice(req: Request): string | undefined {
  const { notice } = req.session
  delete req.session.notice
  return notice
}

export async function destroySession(req: Request, res: Response, https: boolean): Promise<void> {
  await fromCallback((done) => req.session.destroy(done))
  res.clearCookie(cookieName(https), cookieOptions(https))
}

const fromCallback = (act: (done: (error?: unknown) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())))
