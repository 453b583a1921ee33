// A third party: a token endpoint with rotation and revocation, and a small API.
import express from 'express'
import { listen } from '../../../src/kit/http/http-server.ts'

export type ThirdPartyDouble = Awaited<ReturnType<typeof startThirdParty>>

export async function startThirdParty() {
  const state = {
    refreshToken: 'refresh-1',
    accessToken: 'none',
    expiresIn: 3_600 as number | string | null,
    rotates: false,
    /** Replaces the delivery of token responses. */
    deliver: undefined as ((res: express.Response, tokens: object) => void) | undefined,
    refusedRefreshes: 0,
    /** As at most providers: a new access token doesn't end the previous one. */
    keepsOldAccessTokens: false,
    /** Replaces the response of the API. */
    text: undefined as string | undefined,
    /** Holds API requests until release(). */
    hold: false,
    /** Never answers token requests. */
    holdTokens: false,
    /** API requests whose caller hung up. */
    cutOff: 0,
    tokenRequests: [] as Array<{ body: Record<string, string>; authorization: string | undefined }>,
    /** The API needs a scope that no token has. */
    lacksScope: false,
    /** API requests with a valid token. */
    accepted: 0,
    apiRequests: [] as Array<{ method: string; url: string; body: unknown }>,
  }
  const issued = new Set<string>()
  const accepts = (sent: string) =>
    sent === `Bearer ${state.accessToken}` || (state.keepsOldAccessTokens && issued.has(sent))
  const app = express()
  app.post('/token', express.urlencoded(), (req, res) => {
    state.tokenRequests.push({ body: req.body, authorization: req.get('Authorization') })
    if (state.holdTokens) return
    if (req.body.refresh_token !== state.refreshToken) {
      state.refusedRefreshes++
      return void res.status(400).json({ error: 'invalid_grant' })
    }
    state.accessToken = `access-token-${state.tokenRequests.length}`
    issued.add(`Bearer ${state.accessToken}`)
    if (state.rotates) state.refreshToken = `refresh-${state.tokenRequests.length + 1}`
    const tokens = {
      access_token: state.accessToken,
      token_type: 'Bearer',
      expires_in: state.expiresIn,
      ...(state.rotates && { refresh_token: state.refreshToken }),
    }
    if (state.deliver) return state.deliver(res, tokens)
    res.json(tokens)
  })
  const held: Array<() => void> = []
  app.all('/api/*path', (_req, res, next) => {
    if (!state.lacksScope) return next()
    res.set('WWW-Authenticate', 'Bearer error="insufficient_scope", scope="files"')
    res.status(403).json({ error: 'insufficient_scope' })
  })
  app.all('/api/*path', express.json(), async (req, res) => {
    state.apiRequests.push({ method: req.method, url: req.url, body: req.body })
    res.once('close', () => res.writableEnded || state.cutOff++)
    if (state.hold) await new Promise<void>((resolve) => held.push(resolve))
    if (!accepts(req.get('Authorization') ?? '')) return void res.status(401).json({ error: 'token' })
    state.accepted++
    if (state.text !== undefined) return void res.type('text/plain').send(state.text)
    if (req.path === '/api/echo-headers') return void res.json(req.headers)
    if (req.path === '/api/huge') return void res.send('x'.repeat(2 * 1024 * 1024))
    if (req.path === '/api/redirect') return void res.redirect(302, 'http://evil.example/')
    res.json({ method: req.method, url: req.url, body: req.body ?? null })
  })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${server.port}`
  const release = () => {
    state.hold = false
    for (const go of held.splice(0)) go()
  }
  return { ...bound(state), url, integration: integrationAt(url), release, close: () => server.close(0) }
}

function bound<T extends object>(state: T): { state: T } {
  return { state }
}

const integrationAt = (url: string) => ({
  id: 'filebox',
  displayName: 'Filebox',
  endpoints: { authorization: `${url}/authorize`, token: `${url}/token` },
  account: { from: 'none' },
  scopes: [{ name: 'files' }],
  apiHosts: [new URL(url).host],
  tools: [
    {
      name: 'list_files',
      description: 'Lists files by a part of their name.',
      inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
      request: { method: 'GET', url: `${url}/api/files`, query: { q: '{query}' } },
    },
    {
      name: 'write_file',
      description: 'Writes a file.',
      inputSchema: {
        type: 'object',
        properties: { path: { type: 'string' }, size: { type: 'integer' }, note: { type: 'string' } },
        required: ['path', 'size'],
      },
      request: {
        method: 'PUT',
        url: `${url}/api/files/{path}`,
        body: { size: '{size}', note: '{note}', title: 'File {path}' },
      },
    },
  ],
})
