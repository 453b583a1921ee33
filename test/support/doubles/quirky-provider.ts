// An OAuth provider with the habits of a profile, and strict about them: what is not sent as it wants is refused.
import { randomBytes, randomUUID } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { listen } from '../../../src/kit/http/http-server.ts'

export type Quirks = {
  /** The first access token is good for an exchange alone. */
  exchanges?: boolean
  json?: boolean
  /** Names of parameters in its own words. */
  names?: Record<string, string>
  /** The scope that has to be asked for, letter for letter. */
  scope?: { name: string; value: string }
  /** Parameters and headers that every token request must have. */
  wants?: Record<string, string>
  wantsHeader?: [string, string]
  /** Tokens stand in this member. */
  within?: string
  codeParameter?: string
  callback?: Record<string, string>
  answer?: Record<string, unknown>
  apiHeader?: [string, string]
  /** The path that the API is below. */
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
      ...(!quirks.exchanges && { refresh_token: issue('refresh') }),
      token_type: 'bearer',
      account,
    }
    return quirks.within ? { [quirks.within]: grant, ...quirks.answer } : { ...grant, ...quirks.answer }
  }

  const app = express.Router()
  app.get('/authorize', (req, res) => {
    const query = req.query as Record<string, string>
    if (query[named('client_id')] !== quirkyClient.id) return refuse(res, 'client_id')
    if (quirks.scope && query[quirks.scope.name] !== quirks.scope.value) return refuse(res, 'scope')
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
    if (Object.entries(quirks.wants ?? {}).some(([name, value]) => body[name] !== value)) return 'extra'
    if (quirks.wantsHeader && req.get(quirks.wantsHeader[0]) !== quirks.wantsHeader[1]) return 'header'
    return undefined
  }
  const refresh = (req: Request, res: Response) => {
    if (!live.refresh.has(req.body[named('refresh_token')]))
      return void res.status(400).json({ error: 'invalid_grant' })
    seen.refreshes++
    const answer = { access_token: issue('access'), expires_in: 3600 }
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
  const grants: Record<string, (req: Request, res: Response) => void> = {
    authorization_code: first,
    refresh_token: refresh,
    lasting_token: exchange,
  }
  const token = (req: Request, res: Response) => {
    const wrong = wrongToken(req)
    if (wrong) return refuse(res, `token: ${wrong}`)
    ;(grants[req.body.grant_type] ?? first)(req, res)
  }
  app.post('/token', express.json(), express.urlencoded(), token)

  app.post('/revoke', express.json(), express.urlencoded(), (req, res) => {
    // RFC 7009, section 2.2: a token that is not known is as good as revoked.
    if (live.access.delete(req.body.token) || live.refresh.delete(req.body.token)) seen.revocations++
    res.json({})
  })

  app.get(`${quirks.apiUnder ?? ''}/api/files`, (req, res) => {
    const access = (req.get('authorization') ?? '').slice('Bearer '.length)
    if (!live.access.has(access)) return void res.status(401).json({ error: 'invalid_token' })
    if (quirks.apiHeader && req.get(quirks.apiHeader[0]) !== quirks.apiHeader[1]) return refuse(res, 'api header')
    res.json({ files: ['plan.txt'] })
  })

  const server = await listen(express().use(app), { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${server.port}`
  /** As if the user had taken everything back. */
  const endGrants = () => {
    live.access.clear()
    live.refresh.clear()
  }
  return { url, host: new URL(url).host, refuses, seen, live, endGrants, close: () => server.close(0) }
}
