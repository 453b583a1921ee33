// Clients whose id is the address of a document about them.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fetchClientKeys } from '../../../src/platform/identity/adapters/client-keys.ts'
import { metadataDocuments } from '../../../src/platform/identity/adapters/client-metadata.ts'
import { ServerUnreadable } from '../../../src/platform/identity/adapters/server-unreadable.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { callback, type McpLoginWorld, mcpLoginWorld } from '../../support/worlds/mcp-login-world.ts'

const clientId = 'https://client.example/metadata.json'
const good = {
  client_id: clientId,
  client_name: 'Claude\u202e\u200b Code',
  redirect_uris: [callback],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

test('X12: fetches of client documents are rate limited per client address', async () => {
  const max = 40
  let read = 0
  const fetchDocument = async () => {
    read++
    return new Response('', { status: 404 })
  }
  const documents = { fetch: fetchDocument, close: async () => {} }
  const world = await mcpLoginWorld({ RATE_KEY_PER_MINUTE: String(max) }, { documents })
  const authorize = (id: string) => fetch(`${world.origin}/oauth/authorize?client_id=${encodeURIComponent(id)}`)

  // Two minutes may share them, and then there is one more than both have room for.
  const answers: Array<{ status: number; hasRead: boolean }> = []
  for (let at = 0; at <= 2 * max; at++) {
    const before = read
    const { status } = await authorize(`https://client.example/${at}`)
    answers.push({ status, hasRead: read > before })
  }
  const other = await authorize('registered-before')
  await world.close()

  expect(answers[0]).toEqual({ status: 400, hasRead: true })
  expect(answers).toContainEqual({ status: 429, hasRead: false })
  expect(answers).not.toContainEqual({ status: 429, hasRead: true })
  expect(other.status).toBe(400)
})

describe('a client that publishes a document', () => {
  let world: McpLoginWorld
  let asked: string[] = []
  const published = new Map<string, unknown>()

  beforeAll(async () => {
    const fetch = async (address: string | URL | Request) => {
      asked.push(String(address))
      const document = published.get(String(address))
      return new Response(JSON.stringify(document), { status: document ? 200 : 404 })
    }
    world = await mcpLoginWorld({}, { documents: { fetch, close: async () => {} } })
  })
  beforeEach(() => {
    asked = []
  })
  afterAll(() => world.close())

  const authorizeUrl = (id: string, more = {}) => {
    const code_challenge = createHash('sha256').update('v'.repeat(43)).digest('base64url')
    const common = { response_type: 'code', redirect_uri: callback, code_challenge, code_challenge_method: 'S256' }
    return `${world.origin}/oauth/authorize?${new URLSearchParams({ client_id: id, resource: world.mcpUrl, ...common, ...more })}`
  }

  test('is shown with its host and a cleaned name, and its document is fetched once', async () => {
    published.set(clientId, good)
    const browser = new HttpBrowser()
    const { url } = await world.login()
    await browser.post(url)

    const page = await browser.follow(await browser.get(authorizeUrl(clientId)))
    await browser.get(authorizeUrl(clientId))

    expect(page.text).toContain('Claude Code')
    expect(page.text).toContain('client.example')
    expect(page.text).toContain('It hasn’t been verified')
    expect(asked).toEqual([clientId])
  })

  test.each([
    ['describes another client', { client_id: 'https://other.example/metadata.json' }],
    ['has a secret', { token_endpoint_auth_method: 'client_secret_post', client_secret: 'x' }],
    ['redirects to a page without TLS', { redirect_uris: ['http://evil.example/', callback] }],
    ['redirects to a script', { redirect_uris: ['javascript:alert(1)', callback] }],
    ['redirects to an unknown app', { redirect_uris: ['evil://callback', callback] }],
  ])('is rejected without a redirect if it %s', async (what, wrong) => {
    const id = `https://client.example/${encodeURIComponent(what)}`
    published.set(id, { ...good, client_id: id, ...wrong })

    const answer = await fetch(authorizeUrl(id), { redirect: 'manual' })

    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })

  test('X2: gets no device code, even if its document asks for the grant type', async () => {
    const id = 'https://client.example/device.json'
    const device = 'urn:ietf:params:oauth:grant-type:device_code'
    published.set(id, { ...good, client_id: id, grant_types: [...good.grant_types, device] })

    const answer = await fetch(`${world.origin}/oauth/device/code`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: id, resource: world.mcpUrl, scope: 'tools:read' }),
    })

    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_client' }])
  })

  test('cannot request the platform itself', async () => {
    published.set(clientId, good)

    const answer = await fetch(authorizeUrl(clientId, { resource: world.origin, scope: 'admin' }), {
      redirect: 'manual',
    })

    expect(answer.headers.get('location')).toContain('error=invalid_target')
  })

  test.each(['http://client.example/a', 'https://client.example/../a', 'https://user@client.example/a'])(
    'the URL %s is never fetched',
    async (id) => {
      const answer = await fetch(authorizeUrl(id), { redirect: 'manual' })

      expect([answer.status, asked]).toEqual([400, []])
    },
  )
})

describe('fetching a client document', () => {
  const server = createServer((req, res) => {
    if (req.url === '/large') return res.end('x'.repeat(6_000))
    if (req.url === '/huge') return res.end('x'.repeat(70_000))
    if (req.url === '/elsewhere') return res.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    if (req.url === '/never') return
    res.writeHead(200, { 'cache-control': 'max-age=90' }).end('{}')
  })
  let host: string

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  test.each([
    'https://127.0.0.1/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/',
    'https://db.internal/',
  ])('SSRF: %s is not called', async (address) => {
    const documents = metadataDocuments({ allow: [] })

    await expect(documents.fetch(address)).rejects.toThrow('blocked')
    await documents.close()
  })

  test('the keys of a client are read with the same care, up to 64 kB', async () => {
    const blocked = fetchClientKeys({ allow: [] })
    const keys = fetchClientKeys({ allow: [host] })

    for (const address of ['https://127.0.0.1/', 'https://169.254.169.254/', `http://${host}/`])
      await expect(blocked(address)).rejects.toThrow('blocked')
    await expect(keys(`http://${host}/huge`)).rejects.toThrow('too_large')
    expect((await keys(`http://${host}/elsewhere`)).status).toBe(302)
    await expect(keys(`http://${host}/never`)).rejects.toThrow('unanswered')
    await Promise.all([blocked.close(), keys.close()])
  })

  test('stops at five kilobytes, follows no redirect, and times out soon', async () => {
    const documents = metadataDocuments({ allow: [host] })

    await expect(documents.fetch(`http://${host}/large`)).rejects.toThrow('too_large')
    expect((await documents.fetch(`http://${host}/elsewhere`)).status).toBe(302)
    await expect(documents.fetch(`http://${host}/never`)).rejects.toThrow(ServerUnreadable)
    expect((await documents.fetch(`http://${host}/`)).headers.get('cache-control')).toBe('max-age=90')
    await documents.close()
  })
})
