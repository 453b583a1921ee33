import { parseCookie } from 'cookie'
import type { CookieOptions, Request, Response } from 'express'
import { openLoginSeconds, rememberedSeconds } from '../domain/function-access.ts'

const value = /^[A-Za-z0-9_-]{43}$/

const names = { login: 'function-login', remembered: 'function-user' } as const

const seconds = { login: openLoginSeconds, remembered: rememberedSeconds } as const

type Name = keyof typeof names

/** `login` proves a login of the last 15 minutes. `remembered` only tells who the person is. */
export function endUserCookies(publicUrl: string) {
  const secure = publicUrl.startsWith('https:')
  const nameOf = (name: Name) => (secure ? `__Host-${names[name]}` : names[name])
  // Lax, because MCP clients navigate the browser here.
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', secure, path: '/' }
  return {
    give(res: Response, name: Name, sent: string): void {
      res.cookie(nameOf(name), sent, { ...options, maxAge: seconds[name] * 1000 })
    },
    read(req: Request, name: Name): string | undefined {
      const sent = parseCookie(req.headers.cookie ?? '')[nameOf(name)]
      return sent !== undefined && value.test(sent) ? sent : undefined
    },
    take(res: Response, name: Name): void {
      res.clearCookie(nameOf(name), options)
    },
  }
}
