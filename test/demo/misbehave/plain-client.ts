// A minimal client without a library, so that tests see the wire format.
import { createHash, randomBytes } from 'node:crypto'
import { firstClient } from '../../../src/demo/misbehave/domain/instance.ts'
import { type MisbehavingProvider, startMisbehavingProvider } from '../../../src/demo/misbehave/server.ts'

export const startProvider = () => startMisbehavingProvider({ host: '127.0.0.1', port: 0 })

export const redirectUri = 'https://client.example/callback'

export type PlainClient = ReturnType<typeof plainClient>

/** `path` is the provider: `ci;pkce=refused`. */
export function plainClient({ url }: MisbehavingProvider, path: string) {
  const base = `${url}/${path}`
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const client = { client_id: firstClient.id, client_secret: firstClient.secret }
  const send = async (address: string, init?: RequestInit) => {
    const answer = await fetch(`${base}${address}`, { redirect: 'manual', ...init })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) }
  }
  const post = (address: string, fields: Record<string, string | undefined>, headers: Record<string, string> = {}) =>
    send(address, { method: 'POST', headers, body: new URLSearchParams(given(fields)) })
  return {
    base,
    client,
    verifier,
    send,
    post,
    postJson: (address: string, value: object, headers: Record<string, string> = {}) =>
      send(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(value),
      }),
    control: (address: string, method: string, value?: object) =>
      send(`/control${address}`, {
        method,
        ...(value && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) }),
      }),
    authorize(more: Record<string, string | undefined> = {}, at = '') {
      const query = new URLSearchParams(
        given({
          client_id: firstClient.id,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: 'openid files.read',
          access_type: 'offline',
          state: 'state-1',
          code_challenge: challenge,
          code_challenge_method: 'S256',
          ...more,
        }),
      )
      return send(`${at}/authorize?${query}`)
    },
    /** Returns the parameters of the callback. */
    async callback(more: Record<string, string | undefined> = {}, at = '') {
      const { headers, text } = await this.authorize(more, at)
      const location = headers.get('location')
      if (!location) throw new Error(`not sent back: ${text}`)
      return Object.fromEntries(new URL(location).searchParams) as Record<string, string>
    },
    exchange: (code: string | undefined, more: Record<string, string | undefined> = {}, at = '') =>
      post(`${at}/token`, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...client,
        ...more,
      }),
    refresh: (token: unknown, more: Record<string, string | undefined> = {}, address = '/token') =>
      post(address, { grant_type: 'refresh_token', refresh_token: String(token), ...client, ...more }),
    async link(more: Record<string, string | undefined> = {}) {
      const { code } = await this.callback(more)
      return (await this.exchange(code)).body
    },
    files: (token: unknown, at = '/api') => send(`${at}/files`, { headers: { Authorization: `Bearer ${token}` } }),
  }
}

/** Omits undefined members. */
const given = (fields: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Record<string, string>

// biome-ignore lint/suspicious/noExplicitAny: switches decide the shape of responses
function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
