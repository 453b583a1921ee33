import { randomBytes } from 'node:crypto'
import type { CookieOptions, Request, RequestHandler, Response } from 'express'
import session, { type Store } from 'express-session'
import { type ConsoleSession, idleSeconds, maxSessionSeconds, type SignInAttempt } from '../../domain/console.ts'

declare module 'express-session' {
  interface SessionData {
    signedIn?: ConsoleSession
    attempt?: SignInAttempt
    /** Shown once on the next page. */
    notice?: string
    /** Seeds of campaigns started in this session, by campaign ID. */
    campaignSeeds?: Record<string, string>
  }
}

type SessionSettings = { store: Store; secrets: string[]; https: boolean }

const cookieName = (https: boolean) => (https ? '__Host-console' : 'console')

// Lax, not Strict: the callback is a cross-site navigation from the issuer.
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

/** Against session fixation. */
export const regenerateSession = (req: Request): Promise<void> => fromCallback((done) => req.session.regenerate(done))

/** Call before every redirect: the next request may arrive before the store has saved this one. */
export const saveSession = (req: Request): Promise<void> => fromCallback((done) => req.session.save(done))

export function takeNotice(req: Request): string | undefined {
  const { notice } = req.session
  delete req.session.notice
  return notice
}

const markName = (https: boolean) => `${cookieName(https)}-signed-in`

/** Outlives the session, so that the next page can say that it ended. Proves nothing. */
export const markSignedIn = (res: Response, https: boolean): unknown =>
  res.cookie(markName(https), '1', { ...cookieOptions(https), maxAge: maxSessionSeconds * 1_000 })

export const forgetSignedIn = (res: Response, https: boolean): unknown =>
  res.clearCookie(markName(https), cookieOptions(https))

export const wasSignedIn = (req: Request, https: boolean): boolean =>
  (req.headers.cookie ?? '').split(/; ?/).includes(`${markName(https)}=1`)

export async function destroySession(req: Request, res: Response, https: boolean): Promise<void> {
  await fromCallback((done) => req.session.destroy(done))
  res.clearCookie(cookieName(https), cookieOptions(https))
}

const fromCallback = (act: (done: (error?: unknown) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())))
