import { parseCookie } from 'cookie'
import type { CookieOptions, Request, Response } from 'express'
import { sha256 as digest } from '../../../kit/crypto/digest.ts'

const maxFlows = 5
const maxAgeSeconds = 15 * 60

export type BrowserCookies = {
  digests(req: Request): string[]
  give(req: Request, res: Response, linkId: string, secret: string): void
  renew(req: Request, res: Response, linkId: string): void
  forget(res: Response, linkId: string): void
  keepLocale(res: Response, locale: string): void
}

/** Flows of different kinds do not evict each other’s cookies. */
export function browserCookies({ https, kind = 'cf' }: { https: boolean; kind?: 'cf' | 'cm' }): BrowserCookies {
  // Browsers reject the __Host- prefix on plain HTTP.
  const prefix = `${https ? '__Host-' : ''}${kind}-`
  // Lax, not Strict: the return from the provider is a cross-site navigation.
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', secure: https, path: '/' }

  const persistent = { ...options, maxAge: maxAgeSeconds * 1_000 }
  const nameFor = (linkId: string) => `${prefix}${digest(linkId).slice(0, 8)}`

  const ours = new RegExp(`^${prefix}[A-Za-z0-9_-]{8}$`)
  const sent = ({ headers: { cookie = '' } }: Request): FlowCookie[] =>
    Object.entries(parseCookie(cookie)).flatMap(([name, value = '']) =>
      ours.test(name) && valuePattern.test(value) && !comesTwice(cookie, name) ? [{ name, value }] : [],
    )

  return {
    digests: (req) =>
      sent(req)
        // Opening many pages at once sets more cookies than are kept, so only the newest count.
        .sort((a, b) => (a.value > b.value ? -1 : 1))
        .slice(0, 2 * maxFlows)
        .map(({ value }) => digest(secretOf(value))),
    give(req, res, linkId, secret) {
      const oldestFirst = sent(req).sort((a, b) => (a.value < b.value ? -1 : 1))
      for (const { name } of oldestFirst.slice(0, Math.max(0, oldestFirst.length - maxFlows + 1))) {
        res.clearCookie(name, options)
      }
      const value = `${Date.now().toString(36).padStart(9, '0')}.${secret}`
      res.cookie(nameFor(linkId), value, persistent)
    },
    renew(req, res, linkId) {
      const kept = sent(req).find(({ name }) => name === nameFor(linkId))
      if (kept) res.cookie(kept.name, kept.value, persistent)
    },
    forget: (res, linkId) => void res.clearCookie(nameFor(linkId), options),
    keepLocale: (res, locale) => void res.cookie(`${https ? '__Host-' : ''}cf-locale`, locale, persistent),
  }
}

type FlowCookie = { name: string; value: string }

const valuePattern = /^[0-9a-z]{9}\.[A-Za-z0-9_-]+$/

/** A name that comes twice is not trusted. After U+00A0 it is a different name, which a sibling host can set. */
const comesTwice = (header: string, name: string): boolean =>
  header.split(';').filter((pair) => pair.split('=')[0]?.replace(/^[ \t]+|[ \t]+$/g, '') === name).length > 1

const secretOf = (value: string) => value.slice(value.indexOf('.') + 1)
