// An OAuth provider with the habits of a profile, and strict about them: what is not sent as it wants is refused.
import { randomBytes, randomUUID } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { listen } from '../../../src/kit/http/http-server.ts'

export type Quirks = {
  /** No refresh token, ever. */
  neverRefreshes?: boolean
  /** The first access token is good for an exchange alone. */
  exchanges?: boolean
  json?: boolean
  refusesPkce?: boolean
  /** Names of parameters in its own words. */
  names?: Record<string, string>
  /** The scope that has to be asked for, letter for letter; `undefined`: none may be. */
  scope?: { name: string; value: string } | undefined
  /** Parameters and headers that every token request must have. */
  wants?: Record<string, string>
  wantsHeader?: [string, string]
  /** Tokens stand in this member. */
  within?: string
  /** Refreshes happen there and nowhere else. */
  refreshPath?: string
  rotates?: boolean
  codeParameter?: string
  callback?: Record<string, string>
  answer?: Record<string, unknown>
  revocation?: 'rfc7009' | 'bearer' | 'delete' | 'client_header' | 'deauthorize'
  /** How it words a refresh token that is dead. */
  deadGrant?: { status: number; body: Record<string, unknown> }
  apiHeader?: [string, string]
  /** The path that everything is below, and the one of the API. */
  under?: string
  apiUnder?: string
}

export const quirkyClient = { id: 'quirky-client', secret: 'CANARY-quirky-secret' }

export type QuirkyProvider = Awaited<ReturnType<typeof startQuirky>>

export async function startQuirky(quirks: Quirks) {
  // Accounts of several providers have nothing to do with each other.
  const account = `account-${randomUUID()}`
  const codes = new Set<string>()
  /** Tokens that work, by what they are. */
  const live = { access: new Set<string>(), refresh: new Set<string>() }
  const seen = { refusals: [] as string[], refreshes: 0, revocations: 0, exchanges: 0 }
  const refuses = { exchange: false }
  const refuse = (res: Response, reason: string) => {
    seen.refusals.push(reason)
    res.status(400).json({ error: 'invalid_request' })
  }
  const named = (name: string) => quirks.names?.[name] ?? name
  const issue = (kind: 'access' | 'refresh') => {
    const token = `CANARY-${kind}-${randomBytes(9).toString('hex')}`
    live[kind].add(token)
    return token
  }
  const tokens = () => {
    const grant = {
      access_token: quirks.exchanges ? 'CANARY-short' : issue('access'),
      ...(!quirks.neverRefreshes && !quirks.exchanges && { refresh_token: issue('refresh') }),
      token_type: 'bearer',
      account,
    }
    return quirks.within ? { [quirks.within]: grant, ...quirks.answer } : { ...grant, ...quirks.answer }
  }

  const app = express.Router()
  app.get('/authorize', (req, res) => {
    const query = req.query as Record<string, string>
    if (quirks.refusesPkce && query.code_challenge) return refuse(res, 'code_challenge')
    if (query[named('client_id')] !== quirkyClient.id) return refuse(res, 'client_id')
    if ('scope' in quirks && query[quirks.scope?.name ?? 'scope'] !== quirks.scope?.value) return refuse(res, 'scope')
    const code = randomBytes(12).toString('hex')
    codes.add(code)
    const target = new URL(query[named('redirect_uri')] ?? '')
    const back = { [quirks.codeParameter ?? 'code']: code, state: query.state ?? '', ...quirks.callback }
    for (const [name, value] of Object.entries(back)) target.searchParams.set(name, value)
    res.redirect(303, target.href)
  })

  const wrongToken = (req: Request): string | undefined => {
    const body = req.body as Record<string, string> | undefined
    if (!body || Boolean(req.is('json')) !== Boolean(quirks.json)) return 'format'
    if (body[named('client_id')] !== quirkyClient.id || body[named('client_secret')] !== quirkyClient.secret)
      return 'client'
    if (quirks.refusesPkce && body.code_verifier) return 'code_verifier'
    if (Object.entries(quirks.wants ?? {}).some(([name, value]) => body[name] !== value)) return 'extra'
    if (quirks.wantsHeader && req.get(quirks.wantsHeader[0]) !== quirks.wantsHeader[1]) return 'header'
    return undefined
  }
  const refresh = (req: Request, res: Response) => {
    const sent = req.body[named('refresh_token')]
    if (!live.refresh.has(sent)) {
      const { status, body } = quirks.deadGrant ?? { status: 400, body: { error: 'invalid_grant' } }
      return void res.status(status).json(body)
    }
    seen.refreshes++
    if (quirks.rotates) live.refresh.delete(sent)
    const answer = {
      access_token: issue('access'),
      expires_in: 3600,
      ...(quirks.rotates && { refresh_token: issue('refresh') }),
    }
    res.json(quirks.within ? { [quirks.within]: answer } : answer)
  }
  const exchange = (req: Request, res: Response) => {
    seen.exchanges++
    if (refuses.exchange) return void res.status(400).json({ error: 'invalid_request' })
    if (req.body.short_token !== 'CANARY-short') return refuse(res, 'short_token')
    res.json({ access_token: issue('access'), token_type: 'bearer' })
  }
  const first = (req: Request, res: Response) =>
    codes.delete(req.body[named('code')]) ? void res.json(tokens()) : refuse(res, 'code')
  const renew = (req: Request, res: Response) =>
    quirks.refreshPath && req.path !== quirks.refreshPath ? refuse(res, 'refreshed here') : refresh(req, res)
  const grants: Record<string, (req: Request, res: Response) => void> = {
    authorization_code: first,
    refresh_token: renew,
    lasting_token: exchange,
  }
  const token = (req: Request, res: Response) => {
    const wrong = wrongToken(req)
    if (wrong) return refuse(res, `token: ${wrong}`)
    ;(grants[req.body.grant_type] ?? first)(req, res)
  }
  app.post(['/token', '/renew'], express.json(), express.urlencoded(), token)

  const basic = `Basic ${Buffer.from(`${quirkyClient.id}:${quirkyClient.secret}`).toString('base64')}`
  app.all(['/revoke', `/revoke/${quirkyClient.id}`], express.json(), express.urlencoded(), (req, res) => {
    const style = quirks.revocation ?? 'rfc7009'
    const given = revoked(req, style, basic)
    // RFC 7009, section 2.2: a token that is not known is as good as revoked.
    if (style === 'rfc7009' && given && !live.access.has(given) && !live.refresh.has(given)) return void res.json({})
    if (!given || !(live.access.delete(given) || live.refresh.delete(given) || given === account))
      return refuse(res, 'revocation')
    seen.revocations++
    res.json({})
  })

  app.get(`${quirks.apiUnder ?? ''}/api/files`, (req, res) => {
    const access = (req.get('authorization') ?? '').slice('Bearer '.length)
    if (!live.access.has(access)) return void res.status(401).json({ error: 'invalid_token' })
    if (quirks.apiHeader && req.get(quirks.apiHeader[0]) !== quirks.apiHeader[1]) return refuse(res, 'api header')
    res.json({ files: ['plan.txt'] })
  })

  const whole = express().use(quirks.under ?? '/', app)
  const server = await listen(whole, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${server.port}`
  /** As if the user had taken everything back. */
  const endGrants = () => {
    live.access.clear()
    live.refresh.clear()
  }
  return { url, host: new URL(url).host, refuses, seen, live, endGrants, close: () => server.close(0) }
}

/** The token that is to end, if it was asked for in the right way. */
function revoked(req: Request, style: NonNullable<Quirks['revocation']>, basic: string): string | undefined {
  const authorization = req.get('authorization') ?? ''
  if (style === 'bearer') return authorization.replace(/^Bearer /, '')
  if (style === 'delete') return req.method === 'DELETE' && authorization === basic ? req.body.access_token : undefined
  if (style === 'client_header')
    return authorization === `Client ${quirkyClient.secret}` ? req.body.access_token : undefined
  if (style === 'deauthorize') return req.body.client_id === quirkyClient.id ? req.body.user : undefined
  return req.method === 'POST' ? req.body.token : undefined
}
