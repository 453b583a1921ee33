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
import { Failure } from '../../shared/domain/failure.ts'
import { assertWithinLimit } from '../../shared/domain/limit.ts'
import { retryAfter } from '../../shared/http/control-plane-errors.ts'
import { toFailure } from '../../shared/http/to-failure.ts'
import type { FunctionAccess } from '../flows/function-access.ts'
import type { SignIn } from '../flows/sign-in.ts'
import { functionInteraction } from './function-interaction.ts'
import type { Interaction, OAuthServer } from './oauth-routes.ts'

type Needs = {
  server: OAuthServer
  signIn: SignIn
  limits: { signIns: RateLimit }
  publicUrl: string
  functionAccess: FunctionAccess
}

type Handle = (interaction: Interaction, req: Request, res: Response) => Promise<void>

/** Where people sign in and say what an app may do. */
export function interactionPages({ server, signIn, limits, publicUrl, functionAccess }: Needs): Router {
  const functions = functionInteraction({ server, functionAccess, publicUrl })
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
    .post(`${page}/sign-in`, ours, limitGuesses(limits.signIns), form, open(signInWith(server, signIn)))
    .post(`${page}/consent`, ours, form, allow)
    .post(`${page}/refuse`, ours, form, refuse)
    .use('/oauth/interaction', errorPage)
}

/**
 * Browsers say where a form was; a form of another site is not ours, whatever cookies come with it. Under our own
 * `Referrer-Policy: no-referrer` they send `Origin: null` with our forms too (Fetch standard, "append a request Origin
 * header"), so the origin decides only for those that do not say where a form was.
 */
export const fromOurPages =
  (publicUrl: string): RequestHandler =>
  (req, _res, next) => {
    const site = req.get('Sec-Fetch-Site')
    const isOurs = site === undefined ? req.get('Origin') === new URL(publicUrl).origin : site === 'same-origin'
    if (!isOurs) throw new Failure('role_missing', 'This form was sent from another site.')
    next()
  }

/** Each guess costs a slow hash, so their number is limited before anything is read. */
const limitGuesses =
  (limit: RateLimit): RequestHandler =>
  (req, _res, next) => {
    assertWithinLimit(limit.take(visitor(req.ip)), limit, 'attempts to sign in from one address')
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
  res.render('platform/oauth/consent', { uid, app, permissions, requestId: requestIdOf(res) })
}

const personal: Record<string, string> = {
  openid: 'See your email address',
  offline_access: 'Keep access when you’re not using it, until you revoke it',
}

/** What goes on after the access of the app has ended. */
const outliving: Record<string, string> = {
  'apiKey:write': 'Create API keys that act for you, with these permissions, for up to 90 days each',
  'serviceAccounts:create': 'Create service accounts that keep these permissions',
}

/** Scopes as sentences, one for each resource. */
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
    requestId: requestIdOf(res),
  })
}

const Credentials = z.object({ email: z.string().max(254), password: z.string().max(1_024) })

const signInWith =
  (server: OAuthServer, signIn: SignIn): Handle =>
  async (interaction, req, res) => {
    const { email, password } = Credentials.parse(req.body)
    const accountId = await signIn(email, password, visitor(req.ip))
    if (!accountId) return showSignIn(res, interaction, email, true)
    continueTo(res, interaction.app, await server.signedIn(req, res, accountId))
  }

/** A form's answer may not redirect to the app under our content policy, so a page goes on by itself. */
function continueTo(res: Response, app: string, address: string): void {
  res.set('Refresh', `0; url=${address}`).render('platform/oauth/continue', { app, address })
}

const statuses: Partial<Record<Failure['code'], number>> = { too_many_requests: 429, role_missing: 403 }

const errorPage: ErrorRequestHandler = (error, _req, res, next) => {
  const failure = toFailure(error)
  if (res.headersSent || failure.code === 'unexpected') return next(error)
  res.status(statuses[failure.code] ?? 400)
  retryAfter(res, failure)
  res.render('platform/oauth/error', { error: failure.code, description: failure.detail })
}
