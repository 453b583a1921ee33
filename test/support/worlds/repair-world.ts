// A function whose grant dies, people with logins at it, and the official client.
import { createHash, randomBytes } from 'node:crypto'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { hashPassword } from '../../../src/platform/identity/domain/password.ts'
import { HttpBrowser } from '../http/http-browser.ts'
import { fileboxConnection } from './function-world.ts'
import { callback, mcpLoginWorld } from './mcp-login-world.ts'

export type RepairWorld = Awaited<ReturnType<typeof repairWorld>>

type Options = { mode?: 'auto' | 'legacy'; url?: string } & Pick<ClientOptions, 'capabilities' | 'inputRequired'>

export const productPage = 'http://product.example/repair/con_1'

export async function repairWorld(env: NodeJS.ProcessEnv = {}) {
  const world = await mcpLoginWorld(env)
  const { origin, mcpUrl, filebox, api, platform } = world
  const connection = (refreshToken: string) => {
    const document = fileboxConnection(refreshToken)
    return { ...document, spec: { ...document.spec, repairUrl: productPage } }
  }
  /** Replaces the secrets, as a re-link does. */
  const relink = () => {
    filebox.state.refreshToken = `refresh-${randomBytes(4).toString('hex')}`
    return api.put('/v0/integrations/connections/files').send(connection(filebox.state.refreshToken)).expect(200)
  }
  /** The function of a connection that has no account yet. */
  const unlink = () => {
    const { metadata, spec } = connection('')
    return api
      .put('/v0/integrations/connections/files')
      .send({ metadata, spec: { ...spec, secret: {} } })
      .expect(200)
  }
  await relink()
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test client', redirect_uris: [callback] }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const clients: Client[] = []
  const closeClients = () => Promise.all(clients.splice(0).map((client) => client.close()))

  async function tokenFrom(browser: HttpBrowser, signIn: (page: string) => Promise<void>): Promise<string> {
    const verifier = randomBytes(32).toString('base64url')
    const asked = new URLSearchParams({
      client_id,
      response_type: 'code',
      redirect_uri: callback,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: mcpUrl,
      scope: 'tools:read tools:write',
    })
    const authorize = `${origin}/oauth/authorize?${asked}`
    await signIn((await browser.follow(await browser.get(authorize), callback)).url)
    const consent = await browser.follow(await browser.get(authorize), callback)
    const allowed = await browser.follow(await browser.post(`${consent.url}/consent`), callback)
    const answer = await fetch(`${origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id,
        grant_type: 'authorization_code',
        code: new URL(allowed.url).searchParams.get('code') ?? '',
        code_verifier: verifier,
        redirect_uri: callback,
      }),
    })
    return ((await answer.json()) as { access_token: string }).access_token
  }

  return {
    ...world,
    relink,
    unlink,
    /** The provider ends the grant: neither its access token nor its refresh token works. */
    killGrant() {
      filebox.state.accessToken = 'none'
      filebox.state.refreshToken = 'another'
    },
    async endUser(id: string) {
      const browser = new HttpBrowser()
      const token = await tokenFrom(browser, async () => {
        const { url } = await world.login({ id, label: `${id}@acme.example` })
        await browser.get(url)
        await browser.post(url)
      })
      return { browser, token }
    },
    async member(email: string) {
      const passwordHash = await hashPassword('open sesame')
      await platform.adapters.users.put({ id: 'unused', email, roles: [], passwordHash })
      const browser = new HttpBrowser()
      const token = await tokenFrom(browser, async (page) => {
        await browser.follow(await browser.post(`${page}/sign-in`, { email, password: 'open sesame' }), callback)
      })
      return { browser, token }
    },
    async connect(token: string, { mode = 'auto', url = mcpUrl, ...options }: Options = {}) {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
      clients.push(client)
      const requestInit = { headers: { Authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
      return client
    },
    redeem: (ticket: string, name = 'files') =>
      api.post(`/v0/integrations/connections/${name}/repair-tickets`).send({ ticket }),
    closeClients,
    async close() {
      await closeClients()
      await world.close()
    },
  }
}
