// How somebody without an account signs in: a tenant's server vouched for them, at one function, by an address.
import type { RequestHandler, Response, Router } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { mcpAddress } from '../../shared/domain/function-resource.ts'
import type { FunctionAccess } from '../flows/function-access.ts'
import { giveLogin } from './function-login-cookie.ts'
import { fromOurPages } from './interaction-pages.ts'

export const loginPath = '/oauth/function-login'

type Needs = { functionAccess: FunctionAccess; publicUrl: string; gatewayUrl: string }

const token = /^[A-Za-z0-9_-]{43}$/

/** Looking uses nothing up: mail programs and chats open every address that they see. */
export function functionLoginPages({ functionAccess, publicUrl, gatewayUrl }: Needs): Router {
  const page = `${loginPath}/:token`
  const show: RequestHandler = async (req, res) => {
    const given = String(req.params.token)
    const login = token.test(given) ? await functionAccess.showLogin(given) : undefined
    if (!login) return showEnded(res)
    res.render('platform/oauth/function-login', { ...login, token: given, requestId: requestIdOf(res) })
  }
  const open: RequestHandler = async (req, res) => {
    const given = String(req.params.token)
    const login = token.test(given) ? await functionAccess.openLogin(given) : undefined
    if (!login) return showEnded(res)
    giveLogin(res, login.opened.reveal(), publicUrl)
    const { label } = login.user
    const address = mcpAddress(gatewayUrl, login.user)
    res.render('platform/oauth/function-ready', { label, address, requestId: requestIdOf(res) })
  }
  return exactRouter().get(page, show).post(page, fromOurPages(publicUrl), open)
}

function showEnded(res: Response): void {
  const description =
    'This sign-in link has expired or was used already. Get a new one from the app that gave it to you.'
  res.status(404).render('platform/oauth/error', { error: 'login_expired', description })
}
