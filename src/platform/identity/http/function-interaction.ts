// What a person is asked whose MCP client wants to use a function.
import type { Request, Response } from 'express'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { FunctionName, ToolScope } from '../../shared/domain/function-resource.ts'
import type { FunctionAccess } from '../flows/function-access.ts'
import { loginIn } from './function-login-cookie.ts'
import type { Interaction, OAuthServer } from './oauth-routes.ts'

type Needs = { server: OAuthServer; functionAccess: FunctionAccess; publicUrl: string }

export function functionInteraction({ server, functionAccess, publicUrl }: Needs) {
  /** Who opened a login for this function in this browser has signed in. */
  const signedIn = async (target: FunctionName, req: Request): Promise<string | undefined> => {
    const opened = loginIn(req, publicUrl)
    return opened === undefined ? undefined : functionAccess.openedLogin(opened, target)
  }
  return {
    /** Returns false where the person has to sign in first. */
    async show(interaction: Interaction & { target: FunctionName }, req: Request, res: Response): Promise<boolean> {
      const { step, target, accountId = '' } = interaction
      if (step !== 'login') {
        const { title, label } = await functionAccess.describe(target, accountId)
        res.render('platform/oauth/function-consent', {
          ...consentLocals(interaction),
          title,
          account: label,
          requestId: requestIdOf(res),
        })
        return true
      }
      const account = await signedIn(target, req)
      if (account === undefined) return false
      res.redirect(303, await server.signedIn(req, res, account))
      return true
    },

    /** What was allowed at a function is on record before it has an effect. */
    async grant(interaction: Interaction, req: Request, res: Response): Promise<string> {
      const { target, accountId = '', clientId, app: clientName, redirectTo, toolScopes: scopes } = interaction
      if (!target) return server.grant(req, res)
      const { label: accountLabel, endUserId } = await functionAccess.describe(target, accountId)
      const grantId = await server.grant(req, res)
      const person = { accountId, accountLabel, endUserId }
      await functionAccess.noteGrant(grantId, { ...target, ...person, clientId, clientName, redirectTo, scopes })
      return grantId
    },
  }
}

const words: Record<ToolScope, string> = {
  'tools:read': 'See what it can do, and read your data with it',
  'tools:write': 'Change things with it: send, create, edit and delete',
}

// Every app gets a refresh token, whether it asks for one or not.
function consentLocals({ uid, app, publisher, redirectTo, isVouched, toolScopes }: Interaction) {
  const permissions = [
    ...toolScopes.map((scope) => words[scope]),
    'Keep access when you’re not using it, until you revoke it',
  ]
  return { uid, app, publisher, redirectTo, isVouched, permissions }
}
