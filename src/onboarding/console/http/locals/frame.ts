import type { Request, Response } from 'express'
import { type ConsoleSession, hasRecentAuth, isAuthTimeUnknown, mayActAs, nameOf } from '../../../domain/console.ts'
import { newFormToken } from '../form-guards.ts'
import { formAt, returnedFormOf } from './returned-form.ts'

const pages = [
  { href: '/support', label: 'Overview' },
  { href: '/support/connections', label: 'Connections' },
  { href: '/support/links', label: 'Links' },
  { href: '/support/campaigns', label: 'Campaigns' },
  { href: '/support/tenants', label: 'Tenants' },
  { href: '/support/webhooks', label: 'Webhooks' },
  { href: '/support/doctor', label: 'Integrations' },
  { href: '/support/keys', label: 'API keys' },
  { href: '/support/audit', label: 'Audit log' },
] as const

type SupportPage = (typeof pages)[number]['href'] | undefined

export function renderSupport(req: Request, res: Response, view: string, current: SupportPage, locals: object): void {
  res.render(`onboarding/support/${view}`, { ...locals, ...frameLocals(req, res, current) })
}

export function renderBadFilter(req: Request, res: Response, locals: { href: string }): void {
  const page = pages.findLast(({ href }) => locals.href.startsWith(href))
  renderSupport(req, res, 'bad-filter', page?.href, { ...locals, heading: page?.label })
}

function frameLocals(req: Request, res: Response, current: SupportPage) {
  const session = req.session.signedIn as ConsoleSession
  const csrf = newFormToken(session)
  const returned = returnedFormOf(res)
  return {
    frame: {
      nav: pages.map((page) => ({ ...page, current: page.href === current })),
      account: {
        label: nameOf(session.user),
        href: '/support/account',
        signOut: '/support/sign-out',
        csrf,
      },
      role: session.user.role,
      csrf,
      refusal: returned?.refusal,
      form: (action: string) => formAt(action, returned),
      mayAct: mayActAs(session.user.role, 'agent'),
      mayAdminister: mayActAs(session.user.role, 'admin'),
      isAuthTimeUnknown: isAuthTimeUnknown(session),
      hasRecentAuth: hasRecentAuth(session, new Date()),
      signInAgain: `/support/sign-in/start?again&next=${encodeURIComponent(req.originalUrl)}`,
    },
  }
}
