// Sign-in of end users without an account, by a URL for one function that the tenant requested.
import express, { type RequestHandler, type Response, type Router } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { mcpAddress } from '../../shared/domain/function-resource.ts'
import { fromOurPages } from '../../shared/http/own-pages.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { openLogin, showLogin } from '../flows/function-access.ts'
import { forgetBrowser, rememberBrowser } from '../flows/remember-browser.ts'
import { endUserCookies } from './end-user-cookies.ts'

export const loginPath = '/oauth/function-login'

const token = /^[A-Za-z0-9_-]{43}$/

/** A GET does not use up the login, because mail and chat programs open links. */
export function functionLoginPages(ports: IdentityPorts, publicUrl: string, gatewayUrl: string): Router {
  const page = `${loginPath}/:token`
  const cookies = endUserCookies(publicUrl)
  const form = express.urlencoded({ extended: false, limit: '1kb' })
  const show: RequestHandler = async (req, res) => {
    const given = String(req.params.token)
    const login = token.test(given) ? await showLogin(ports, given) : undefined
    if (!login) return showEnded(res)
    res.render('platform/oauth/function-login', { ...login, token: given })
  }
  const open: RequestHandler = async (req, res) => {
    const given = String(req.params.token)
    const login = token.test(given) ? await openLogin(ports, given) : undefined
    if (!login) return showEnded(res)
    const from = { requestId: requestIdOf(res) }
    const before = cookies.read(req, 'remembered')
    if (before !== undefined) await forgetBrowser(ports, before, from)
    cookies.give(res, 'login', login.opened.reveal())
    const isRemembered = req.body?.remember === 'on'
    if (isRemembered) cookies.give(res, 'remembered', (await rememberBrowser(ports, login, from)).reveal())
    else cookies.take(res, 'remembered')
    const { label } = login.user
    const address = mcpAddress(gatewayUrl, login.user)
    res.render('platform/oauth/function-ready', { label, address, isRemembered })
  }
  return exactRouter().get(page, show).post(page, fromOurPages(publicUrl), form, open)
}

function showEnded(res: Response): void {
  const title = 'This sign-in link doesn’t work'
  const description = 'It has expired or was already used. Get a new one from the app that gave it to you.'
  res.status(404).render('platform/oauth/error', { title, description })
}
