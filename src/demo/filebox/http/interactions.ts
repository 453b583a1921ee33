import { type Request, type Response, Router, urlencoded } from 'express'
import type Provider from 'oidc-provider'
import type { InteractionResults } from 'oidc-provider'
import { z } from 'zod'
import type { Grants } from '../adapters/grants.ts'
import { accountById, accountFor, demoAccounts } from '../domain/accounts.ts'
import { asksForOfflineAccess, permissionsOf } from '../domain/permissions.ts'

type Needs = { provider: Provider; grants: Grants }

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

const SignIn = z.object({ email: z.string().max(200), password: z.string().max(200) })

export function interactionPages({ provider, grants }: Needs): Router {
  const appNameOf = async ({ params }: Details) =>
    (await provider.Client.find(String(params.client_id)))?.clientName ?? 'An app'

  return Router()
    .use('/interaction', urlencoded({ extended: false, limit: '8kb' }))
    .get('/interaction/:uid', async (req, res) => {
      const details = await provider.interactionDetails(req, res)
      const app = await appNameOf(details)
      if (details.prompt.name === 'login') return res.render('demo/filebox/sign-in', signInLocals(details, app))
      res.render('demo/filebox/consent', consentLocals(details, app))
    })
    .post('/interaction/:uid/sign-in', async (req, res) => {
      const details = await provider.interactionDetails(req, res)
      const { email, password } = SignIn.parse(req.body)
      const account = accountFor(email, password)
      if (!account) {
        const locals = { ...signInLocals(details, await appNameOf(details)), email, wrong: true }
        return res.status(422).render('demo/filebox/sign-in', locals)
      }
      if (details.session && details.session.accountId !== account.id) await leaveSession(provider, req, res, details)
      await leave(req, res, { login: { accountId: account.id } })
    })
    .post('/interaction/:uid/switch', async (req, res) => {
      await leaveSession(provider, req, res, await provider.interactionDetails(req, res))
      await provider.interactionFinished(req, res, {}, { mergeWithLastSubmission: false })
    })
    .post('/interaction/:uid/allow', async (req, res) => {
      const details = await provider.interactionDetails(req, res)
      const grantId = await agree(provider, grants, details)
      await leave(req, res, { consent: { grantId } })
    })
    .post('/interaction/:uid/deny', async (req, res) => {
      await leave(req, res, { error: 'access_denied', error_description: 'The account owner denied access.' })
    })

  // `form-action 'self'` forbids a form to redirect to another host, so the response is a page that redirects.
  async function leave(req: Request, res: Response, result: InteractionResults) {
    const address = await provider.interactionResult(req, res, result)
    res.set('Refresh', `0; url=${address}`)
    res.render('demo/filebox/redirect', { address })
  }
}

async function agree(provider: Provider, grants: Grants, { session, params }: Details): Promise<string> {
  const clientId = String(params.client_id)
  const accountId = String(session?.accountId)
  const known = await grants.idFor(accountId, clientId)
  const grant = (known && (await provider.Grant.find(known))) || new provider.Grant({ accountId, clientId })
  grant.addOIDCScope(String(params.scope))
  return grant.save()
}

/** Signs the browser out and detaches the pending request, so that another account can answer it. */
async function leaveSession(provider: Provider, req: Request, res: Response, details: Details): Promise<void> {
  const session = await provider.Session.get(provider.createContext(req, res))
  await session.destroy()
  details.session = undefined
  await details.save(details.exp - Math.floor(Date.now() / 1000))
}

const signInLocals = ({ uid, params }: Details, app: string) => ({
  uid,
  app,
  email: String(params.login_hint ?? ''),
  wrong: false,
  hints: demoAccounts.map(({ email, password }) => ({ email, password })),
})

const consentLocals = ({ uid, params, session }: Details, app: string) => ({
  uid,
  app,
  account: accountById(String(session?.accountId)),
  permissions: permissionsOf(String(params.scope)),
  offline: asksForOfflineAccess(params.access_type),
})
