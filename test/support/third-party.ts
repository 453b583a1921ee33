// A third party on loopback: a token endpoint that can rotate and revoke, and a tiny API behind it.
import express from 'express'
import { listen } from '../../src/kit/http-server.ts'

export type ThirdPartyDouble = Awaited<ReturnType<typeof startThirdParty>>

export async function startThirdParty() {
  const state = {
    refreshToken: 'refresh-1',
    accessToken: 'none',
    expiresIn: 3_600 as number | string,
    rotates: false,
    tokenRequests: [] as Array<{ body: Record<string, string>; authorization: string | undefined }>,
    apiRequests: [] as Array<{ method: string; url: string; body: unknown }>,
  }
  const app = express()
  app.post('/token', express.urlencoded(), (req, res) => {
    state.tokenRequests.push({ body: req.body, authorization: req.get('Authorization') })
    if (req.body.refresh_token !== state.refreshToken) return void res.status(400).json({ error: 'invalid_grant' })
    state.accessToken = `access-${state.tokenRequests.length}`
    if (state.rotates) state.refreshToken = `refresh-${state.tokenRequests.length + 1}`
    res.json({
      access_token: state.accessToken,
      token_type: 'Bearer',
      expires_in: state.expiresIn,
      ...(state.rotates && { refresh_token: state.refreshToken }),
    })
  })
  app.all('/api/*path', express.json(), (req, res) => {
    state.apiRequests.push({ method: req.method, url: req.url, body: req.body })
    if (req.get('Authorization') !== `Bearer ${state.accessToken}`) return void res.status(401).json({ error: 'token' })
    res.json({ method: req.method, url: req.url, body: req.body ?? null })
  })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${server.port}`
  return { ...bound(state), url, integration: integrationAt(url), close: () => server.close(0) }
}

function bound<T extends object>(state: T): { state: T } {
  return { state }
}

const integrationAt = (url: string) => ({
  name: 'filebox',
  displayName: 'Filebox',
  tokenEndpoint: `${url}/token`,
  tokenEndpointAuthMethod: 'client_secret_post',
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
