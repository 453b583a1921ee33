// Proves to the authorization server that this browser opened a login for a function.
import { parseCookie } from 'cookie'
import type { Request, Response } from 'express'
import { openLoginSeconds } from '../domain/function-access.ts'

const value = /^[A-Za-z0-9_-]{43}$/

const cookieName = (publicUrl: string) => (publicUrl.startsWith('https:') ? '__Host-function-login' : 'function-login')

// Lax: the MCP client sends the browser here, which is a navigation that another program starts.
export function giveLogin(res: Response, opened: string, publicUrl: string): void {
  const secure = publicUrl.startsWith('https:')
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/', maxAge: openLoginSeconds * 1000 } as const
  res.cookie(cookieName(publicUrl), opened, options)
}

/** Returns undefined if the browser brought none. */
export function loginIn(req: Request, publicUrl: string): string | undefined {
  const sent = parseCookie(req.headers.cookie ?? '')[cookieName(publicUrl)]
  return sent !== undefined && value.test(sent) ? sent : undefined
}
