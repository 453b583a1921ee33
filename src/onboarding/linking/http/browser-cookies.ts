// Each flow has its own cookie, which binds it to the browser that started it.
import { parseCookie } from 'cookie'
import type { CookieOptions, Request, Response } from 'express'
import { sha256 as digest } from '../../../kit/crypto/digest.ts'

const mostFlows = 5
const maxAgeSeconds = 15 * 60

export type BrowserCookies = {
  /** Digests of every flow cookie the browser sent. */
  digests(req: Request): string[]
  give(req: Request, res: Response, linkId: string, secret: string): void
  /** Extends the cookie while the browser is still on our pages. */
  renew(req: Request, res: Response, linkId: string): void
  /** The flow is over in this browser. */
  forget(res: Response, linkId: string): void
  /** The language of the flow, for the error pages on its way, where nobody knows which flow it was. */
  keepLocale(res: Response, locale: string): void
}

/** `kind`: flows of one kind do not push cookies of another out. */
export function browserCookies({ https, kind = 'cf' }: { https: boolean; kind?: 'cf' | 'cm' }): BrowserCookies {
  // __Host- ties a cookie to this host over TLS; browsers refuse it on plain http.
  const prefix = `${https ? '__Host-' : ''}${kind}-`
  // Lax, not Strict: the way back from the provider is a navigation that another site starts.
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
        // The newest ones: opening many pages at once sets more cookies than are kept, until the next start.
        .sort((a, b) => (a.value > b.value ? -1 : 1))
        .slice(0, 2 * mostFlows)
        .map(({ value }) => digest(secretOf(value))),
    give(req, res, linkId, secret) {
      const oldestFirst = sent(req).sort((a, b) => (a.value < b.value ? -1 : 1))
      for (const { name } of oldestFirst.slice(0, Math.max(0, oldestFirst.length - mostFlows + 1))) {
        res.clearCookie(name, options)
      }
      // The time comes first, so that the value alone tells which is the oldest.
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

/** The time it was made, in nine letters, and the secret. */
const valuePattern = /^[0-9a-z]{9}\.[A-Za-z0-9_-]+$/

/**
 * We set each name once, at one path. If a browser sends it twice, one is forged and neither is trusted. Spaces and tabs
 * alone surround a name: after U+00A0 it is another name, which a browser lets a neighbouring host set.
 */
const comesTwice = (header: string, name: string): boolean =>
  header.split(';').filter((pair) => pair.split('=')[0]?.replace(/^[ \t]+|[ \t]+$/g, '') === name).length > 1

const secretOf = (value: string) => value.slice(value.indexOf('.') + 1)
