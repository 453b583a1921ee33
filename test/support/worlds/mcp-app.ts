// An MCP client as its requests, and the browser of the person who allows it.
import { createHash, randomBytes } from 'node:crypto'
import { HttpBrowser, type Visit } from '../http/http-browser.ts'
import { callback, type McpLoginWorld } from './mcp-login-world.ts'

type World = Pick<McpLoginWorld, 'origin' | 'mcpUrl' | 'login'>
type Tokens = { access_token: string; refresh_token: string; scope: string }

const verifier = randomBytes(32).toString('base64url')

/** `proof` returns what authenticates the client at the token endpoint. */
export function mcpApp(world: World, clientId: string, proof: () => Promise<object> = async () => ({})) {
  const authorizeUrl = (more: Record<string, string | undefined> = {}) => {
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const parameters = {
      client_id: clientId,
      response_type: 'code',
      redirect_uri: callback,
      code_challenge,
      code_challenge_method: 'S256',
      resource: world.mcpUrl,
      state: 'state',
      ...more,
    }
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return `${world.origin}/oauth/authorize?${new URLSearchParams(given)}`
  }

  /** Opens the address that the tenant's server handed over. */
  async function signIn(browser: HttpBrowser, login?: { url: string }): Promise<Visit> {
    const { url } = login ?? (await world.login())
    await browser.get(url)
    return browser.post(url)
  }

  const start = async (browser: HttpBrowser, more = {}) =>
    browser.follow(await browser.get(authorizeUrl(more)), callback)

  async function allow(browser: HttpBrowser, at: Visit): Promise<URLSearchParams> {
    const pressed = await browser.post(`${at.url.split('?')[0]}/consent`)
    return new URL((await browser.follow(pressed, callback)).url).searchParams
  }

  async function codeFor(more: Record<string, string | undefined> = {}, login?: { url: string }): Promise<string> {
    const browser = new HttpBrowser()
    await signIn(browser, login)
    return (await allow(browser, await start(browser, more))).get('code') ?? ''
  }

  const token = async (body: Record<string, string>, at = world.origin) => {
    const answer = await fetch(`${at}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, ...(await proof()), ...body }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }
  const exchange = (code: string, more = {}) =>
    token({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: callback, ...more })

  return {
    clientId,
    authorizeUrl,
    signIn,
    start,
    allow,
    codeFor,
    token,
    exchange,
    tokensFor: async (more: Record<string, string | undefined> = {}, login?: { url: string }) =>
      (await exchange(await codeFor(more, login))).body as Tokens,
    refresh: (refresh_token: string, more: Record<string, string> = {}, at?: string) =>
      token({ grant_type: 'refresh_token', refresh_token, ...more }, at),
    ask: (accessToken: string | undefined, body: object = rpc('list_files'), url = world.mcpUrl, more = {}) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(accessToken && { Authorization: `Bearer ${accessToken}` }),
          ...more,
        },
        body: JSON.stringify(body),
      }),
  }
}

export const rpc = (name: string, method = 'tools/call') => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { name, arguments: { path: 'a', size: 1 } },
})
