// The identity provider of a company, in a process of its own, and its user's browser.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { HttpBrowser } from '../http/http-browser.ts'

const redirectUri = 'http://127.0.0.1:7777/callback'

/** The app as it is registered at the company. */
const client = {
  client_id: 'wiki-at-company',
  client_secret: randomBytes(32).toString('hex'),
  redirect_uris: [redirectUri],
}

export type CompanyIssuer = Awaited<ReturnType<typeof startCompanyIssuer>>

/** `audience`: the server that gets its assertions. `clientIdThere`: the app as it is registered at that server. */
export async function startCompanyIssuer(settings: { port?: number; audience: string; clientIdThere: string }) {
  const port = settings.port ?? (await freePort())
  const child = spawn(process.execPath, [fileURLToPath(new URL('company-issuer.mjs', import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      NODE_NO_WARNINGS: '1',
      COMPANY: JSON.stringify({ ...settings, port, clients: [client] }),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  await Promise.race([once(child, 'message'), ended.then(() => Promise.reject(new Error('the issuer ended')))])
  const issuer = `http://127.0.0.1:${port}`
  return {
    issuer,
    client: { clientId: client.client_id, clientSecret: client.client_secret },

    /** The ID token that the app gets when the person signs in to it. */
    async signIn(person: string): Promise<string> {
      const browser = new HttpBrowser()
      const verifier = randomBytes(32).toString('base64url')
      const parameters = {
        client_id: client.client_id,
        response_type: 'code',
        scope: 'openid',
        redirect_uri: redirectUri,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      const login = await browser.follow(await browser.get(`${issuer}/auth?${new URLSearchParams(parameters)}`))
      const consent = await browser.follow(
        await browser.post(login.url, { prompt: 'login', login: person, password: 'x' }),
      )
      const allowed = await browser.post(consent.url, { prompt: 'consent' })
      const { searchParams } = new URL((await browser.follow(allowed, redirectUri)).url)
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: {
          Authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`,
        },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: searchParams.get('code') ?? '',
          redirect_uri: redirectUri,
          code_verifier: verifier,
        }),
      })
      return ((await answer.json()) as { id_token: string }).id_token
    },

    async stop() {
      child.disconnect()
      await ended
    },
  }
}
