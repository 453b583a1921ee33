import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { visitor } from '../../../kit/http/visitor.ts'
import type { RateLimit } from '../../../kit/rates/rate-limit.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { assertWithinLimit } from '../../shared/domain/limit.ts'
import { retryAfter } from '../../shared/http/control-plane-errors.ts'
import { fromOurPages } from '../../shared/http/own-pages.ts'
import { toFailure } from '../../shared/http/to-failure.ts'
import { ownPages, safeReturnPath } from '../domain/own-pages.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { endOpenedLogin, forgetBrowser } from '../flows/remember-browser.ts'
import { signIn } from '../flows/sign-in.ts'
import { endUserCookies } from './end-user-cookies.ts'
import { functionInteraction } from './function-interaction.ts'
import type { Interaction, OAuthServer } from './oauth-routes.ts'

type SignInPorts = Parameters<typeof signIn>[0]
type Ports = IdentityPorts & SignInPorts & { limits: { signIns: RateLimit } }

type Handle = (interaction: Interaction, req: Request, res: Response) => Promise<void>

export function interactionPages(ports: Ports, server: OAuthServer, publicUrl: string): Router {
  const functions = functionInteraction(ports, server, publicUrl)
  const ours = fromOurPages(publicUrl)
  const form = express.urlencoded({ extended: false, limit: '8kb' })
  const open =
    (handle: Handle): RequestHandler =>
    async (req, res) =>
      handle(await currentInteraction(server, req, res), req, res)
  const allow = open(async (interaction, req, res) => {
    const grantId = await functions.grant(interaction, req, res)
    continueTo(res, interaction.app, await server.allowed(req, res, grantId))
  })
  const refuse = open(async ({ app }, req, res) => continueTo(res, app, await server.refused(req, res)))
  const page = '/oauth/interaction/:uid'
  return exactRouter()
    .get(
      page,
      open(async (interaction, req, res) => {
        const { target } = interaction
        const isShown = target !== undefined && (await functions.show({ ...interaction, target }, req, res))
        if (!isShown) show(res, interaction)
      }),
    )
    .post(`${page}/sign-in`, ours, limitGuesses(ports.limits.signIns), form, open(signInWith(ports, server)))
    .post(`${page}/consent`, ours, form, allow)
    .post(`${page}/refuse`, ours, form, refuse)
    .use('/oauth/interaction', errorPage)
}

/** Each guess costs a slow hash, so guesses are limited before the body is read. */
const limitGuesses =
  (limit: RateLimit): RequestHandler =>
  (req, _res, next) => {
    assertWithinLimit(limit.take(visitor(req.ip)), limit, 'sign-in attempts from one address')
    next()
  }

async function currentInteraction(server: OAuthServer, req: Request, res: Response): Promise<Interaction> {
  try {
    return await server.interaction(req, res)
  } catch (error) {
    throw new Failure('resource_unknown', 'This sign-in has expired. Please start again.', { cause: error })
  }
}

function show(res: Response, interaction: Interaction): void {
  const { uid, app, step } = interaction
  if (step === 'login') {
    showSignIn(res, interaction, '', false)
    return
  }
  const permissions = permissionSentences(interaction)
  res.render('platform/oauth/consent', { uid, app, permissions })
}

const personal: Record<string, string> = {
  openid: 'See your email address',
  offline_access: 'Keep access when you’re not using it, until you revoke it',
}

/** Permissions that outlive the access of the app. */
const outliving: Record<string, string> = {
  'apiKey:write': 'Create API keys that act for you, with these permissions, for up to 90 days each',
  'serviceAccounts:create': 'Create service accounts that keep these permissions',
}

function permissionSentences({ personalScopes, scopes }: Pick<Interaction, 'personalScopes' | 'scopes'>): string[] {
  const about = personalScopes.flatMap((scope) => personal[scope] ?? [])
  if (scopes.includes('admin'))
    return [...about, 'Do everything you can do on this platform', ...Object.values(outliving)]
  const persistent = scopes.flatMap((scope) => outliving[scope] ?? [])
  const resources = [...new Set(scopes.map((scope) => scope.split(':')[0] ?? scope))]
  return [
    ...about,
    ...resources.map((resource) => `${words(resource)}: ${actions(resource, scopes).join(', ')}`),
    ...persistent,
  ]
}

const actions = (resource: string, scopes: readonly string[]) =>
  scopes.filter((scope) => scope.startsWith(`${resource}:`)).map((scope) => scope.slice(resource.length + 1))

const words = (resource: string) =>
  resource.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (first) => first.toUpperCase())

function showSignIn(res: Response, { uid, app, target }: Interaction, email: string, wrong: boolean): void {
  res.status(wrong ? 401 : 200)
  res.render(target ? 'platform/oauth/function-sign-in' : 'platform/oauth/sign-in', {
    uid,
    app,
    email,
    wrong,
  })
}

const Credentials = z.object({ email: z.string().max(254), password: z.string().max(1_024) })

const signInWith =
  (ports: SignInPorts, server: OAuthServer): Handle =>
  async (interaction, req, res) => {
    const { email, password } = Credentials.parse(req.body)
    const accountId = await signIn(ports, { email, password, from: visitor(req.ip) })
    if (!accountId) return showSignIn(res, interaction, email, true)
    continueTo(res, interaction.app, await server.signedIn(req, res, accountId))
  }

/** The content security policy forbids a redirect of a form to the app, so a page refreshes. */
function continueTo(res: Response, app: string, address: string): void {
  res.set('Refresh', `0; url=${address}`).render('platform/oauth/continue', { app, address })
}

const statuses: Partial<Record<Failure['code'], number>> = { too_many_requests: 429, role_missing: 403 }

const errorPage: ErrorRequestHandler = (error, _req, res, next) => {
  const failure = toFailure(error)
  if (res.headersSent || failure.code === 'unexpected') return next(error)
  res.status(statuses[failure.code] ?? 400)
  retryAfter(res, failure)
  res.render('platform/oauth/error', { description: failure.detail })
}

type Sessions = {
  user(req: Request, res: Response): Promise<Caller | undefined>
  end(req: Request, res: Response): Promise<void>
}

export function sessionPages(ports: IdentityPorts, sessions: Sessions, publicUrl: string): Router {
  const cookies = endUserCookies(publicUrl)
  return exactRouter()
    .get(ownPages.returnPath, async (req, res) => {
      // Otherwise a browser without cookies would loop.
      if (await sessions.user(req, res)) return res.redirect(303, safeReturnPath(req.query.state))
      res.status(400).render('platform/oauth/error', {
        title: 'You’re not signed in',
        description: 'Your browser did not keep the sign-in. Allow cookies for this site and try again.',
      })
    })
    .post('/oauth/sign-out', fromOurPages(publicUrl), async (req, res) => {
      const isMember = (await sessions.user(req, res)) !== undefined
      const [opened, remembered] = [cookies.read(req, 'login'), cookies.read(req, 'remembered')]
      await sessions.end(req, res)
      if (opened !== undefined) await endOpenedLogin(ports, opened)
      if (remembered !== undefined) await forgetBrowser(ports, remembered, { requestId: requestIdOf(res) })
      cookies.take(res, 'login')
      cookies.take(res, 'remembered')
      res.render('platform/oauth/signed-out', { isMember })
    })
}
