import { parseCookie } from 'cookie'
import type { Request, Response } from 'express'
import type { ToolResource, ToolScope } from '../../shared/domain/function-resource.ts'
import { openLoginSeconds } from '../domain/function-access.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { describeTarget, noteGrant, openedLogin } from '../flows/function-access.ts'
import type { Interaction, OAuthServer } from './oauth-routes.ts'

export function functionInteraction(ports: IdentityPorts, server: OAuthServer, publicUrl: string) {
  /** A login opened in this browser counts as a sign-in. */
  const signedIn = async (target: ToolResource, req: Request): Promise<string | undefined> => {
    const opened = loginIn(req, publicUrl)
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

const value = /^[A-Za-z0-9_-]{43}$/

const cookieName = (publicUrl: string) => (publicUrl.startsWith('https:') ? '__Host-function-login' : 'function-login')

/** Proves that this browser opened a login. Lax, because the MCP client navigates the browser here. */
export function giveLogin(res: Response, opened: string, publicUrl: string): void {
  const secure = publicUrl.startsWith('https:')
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/', maxAge: openLoginSeconds * 1000 } as const
  res.cookie(cookieName(publicUrl), opened, options)
}

export function loginIn(req: Request, publicUrl: string): string | undefined {
  const sent = parseCookie(req.headers.cookie ?? '')[cookieName(publicUrl)]
  return sent !== undefined && value.test(sent) ? sent : undefined
}
