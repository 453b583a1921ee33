import { type Request, type Response, Router } from 'express'
import type Provider from 'oidc-provider'
import type { Files } from '../adapters/files.ts'
import type { Grants } from '../adapters/grants.ts'
import { accountById } from '../domain/accounts.ts'
import { permissionsOf } from '../domain/permissions.ts'
import { ownClientId } from '../provider.ts'

type Needs = { provider: Provider; grants: Grants; files: Files }

export function accountPages({ provider, grants, files }: Needs): Router {
  const sessionOf = (req: Request, res: Response) => provider.Session.get(provider.createContext(req, res))

  return Router()
    .get('/', (_req, res) => res.redirect(303, '/account'))
    .get('/account', async (req, res) => {
      const { accountId } = await sessionOf(req, res)
      const account = accountId ? accountById(accountId) : undefined
      if (!accountId || !account) return res.redirect(303, signInAddress(provider))
      const [apps, stored] = await Promise.all([grants.list(accountId), files.find(accountId, '')])
      const listed = await Promise.all(apps.filter(isForeign).map((app) => appLocals(provider, app)))
      res.render('demo/filebox/account', { account, apps: listed, files: stored.map(fileLocals) })
    })
    .post('/account/apps/:grantId/revoke', async (req, res) => {
      const { accountId } = await sessionOf(req, res)
      if (accountId) await grants.revoke(accountId, req.params.grantId)
      res.redirect(303, '/account')
    })
    .post('/sign-out', async (req, res) => {
      const session = await sessionOf(req, res)
      await session.destroy()
      res.redirect(303, '/account')
    })
}

type App = Awaited<ReturnType<Grants['list']>>[number]

const isForeign = (app: App) => app.clientId !== ownClientId

async function appLocals(provider: Provider, { grantId, clientId, scope, since }: App) {
  const client = await provider.Client.find(clientId)
  const permissions = permissionsOf(scope).map(({ title }) => title)
  return { grantId, name: client?.clientName ?? clientId, permissions, since: since.toISOString().slice(0, 10) }
}

const fileLocals = ({ name, content, modifiedAt }: Awaited<ReturnType<Files['find']>>[number]) => ({
  name,
  size: `${Buffer.byteLength(content)} bytes`,
  modified: modifiedAt.toISOString().slice(0, 10),
})

/** `response_type=none` (OAuth 2.0 Multiple Response Types §4) signs in without issuing anything. */
function signInAddress(provider: Provider): string {
  const address = new URL(provider.urlFor('authorization'))
  address.search = new URLSearchParams({
    client_id: ownClientId,
    response_type: 'none',
    scope: 'openid',
    redirect_uri: new URL('/account', provider.issuer).href,
  }).toString()
  return address.href
}
