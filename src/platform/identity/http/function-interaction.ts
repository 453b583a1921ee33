import type { Request, Response } from 'express'
import type { ToolResource, ToolScope } from '../../shared/domain/function-resource.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { describeTarget, noteGrant, openedLogin } from '../flows/function-access.ts'
import { endUserCookies } from './end-user-cookies.ts'
import type { Interaction, OAuthServer } from './oauth-routes.ts'

export function functionInteraction(ports: IdentityPorts, server: OAuthServer, publicUrl: string) {
  const cookies = endUserCookies(publicUrl)
  /** A login opened in this browser counts as a sign-in. A remembered browser does not: a client would get new access. */
  const signedIn = async (target: ToolResource, req: Request): Promise<string | undefined> => {
    const opened = cookies.read(req, 'login')
    return opened === undefined ? undefined : openedLogin(ports, opened, target)
  }
  return {
    async show(interaction: Interaction & { target: ToolResource }, req: Request, res: Response): Promise<boolean> {
      const { step, target, accountId = '' } = interaction
      if (step !== 'login') {
        const { title, label } = await describeTarget(ports, target, accountId)
        res.render('platform/oauth/function-consent', {
          ...consentLocals(interaction),
          title,
          account: label,
        })
        return true
      }
      const account = await signedIn(target, req)
      if (account === undefined) return false
      res.redirect(303, await server.signedIn(req, res, account))
      return true
    },

    /** A grant for a function is recorded before it takes effect. */
    async grant(interaction: Interaction, req: Request, res: Response): Promise<string> {
      const { target, accountId = '', clientId, app: clientName, redirectTo, toolScopes: scopes } = interaction
      if (!target) return server.grant(req, res)
      const { name, functionId, label: accountLabel, endUserId } = await describeTarget(ports, target, accountId)
      const grantId = await server.grant(req, res)
      const person = { accountId, accountLabel, endUserId }
      const of = { workspace: target.workspace, name, functionId }
      await noteGrant(ports, grantId, { ...of, ...person, clientId, clientName, redirectTo, scopes })
      return grantId
    },
  }
}

const scopeTexts: Record<ToolScope, string> = {
  'tools:read': 'See what it can do, and read your data with it',
  'tools:write': 'Change things with it: send, create, edit and delete',
}

// Every app gets a refresh token, even if it does not request one.
function consentLocals({ uid, app, publisher, redirectTo, isVouched, toolScopes }: Interaction) {
  const permissions = [
    ...toolScopes.map((scope) => scopeTexts[scope]),
    'Keep access when you’re not using it, until you revoke it',
  ]
  return { uid, app, publisher, redirectTo, isVouched, permissions }
}
