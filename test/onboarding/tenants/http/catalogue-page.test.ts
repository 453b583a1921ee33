import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

const open = async (path: string) => {
  const response = await fetch(`${world.url}${path}`, { headers: { accept: 'text/html' } })
  return { status: response.status, text: await response.text() }
}

test('an app is found, with its logo, tier and verification date', async () => {
  const { status, text } = await open('/catalogue?q=pipedrive')

  expect(status).toBe(200)
  expect(text).toContain('<a href="/catalogue/pipedrive">Pipedrive</a>')
  expect(text).toContain('<time datetime="2026-11-18">')
  expect(text).toMatch(/data-status="linked">Verified/)
})

test.each([
  ['outlook', '3 apps'],
  ['pipedrive', '1 app'],
  ['no such app', '0 apps'],
])('a search for %s shows that it found %s', async (q, count) => {
  const { text } = await open(`/catalogue?q=${encodeURIComponent(q)}`)

  expect(text).toContain(`role="status">${count}<`)
})

test('the catalogue begins with popular apps', async () => {
  const { text } = await open('/catalogue')

  const ids = [...text.matchAll(/<h2><a href="\/catalogue\/([a-z0-9-]+)">/g)].map(([, id]) => id)
  expect(ids.slice(0, 3)).toEqual(['gmail', 'google-calendar', 'google-drive'])
})

test('the pages link through the whole catalogue', async () => {
  const seen = new Set<string>()
  let next: string | undefined = '/catalogue'
  while (next) {
    const { text } = await open(next)
    for (const [, id = ''] of text.matchAll(/<a href="\/catalogue\/([a-z0-9-]+)">/g)) seen.add(id)
    next = /<a href="([^"]+)" rel="next">/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }

  expect(seen.size).toBeGreaterThanOrEqual(400)
})

test('an app shows what an operator needs to register it', async () => {
  const { text } = await open('/catalogue/quickbooks')

  expect(text).toContain('com.intuit.quickbooks.accounting')
  expect(text).toContain('Its ID comes in the callback alone (realmId).')
  expect(text).toContain('<code>https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer</code>')
  expect(text).toContain(`id="redirect-uri">${world.url}/oauth/callback/quickbooks<`)
  expect(text).toContain('&#34;profile&#34;: &#34;quickbooks&#34;')
  expect(text).toContain('This server has no OAuth client for it yet.')
  expect(text).toContain('<code>npm run causeway -- doctor quickbooks</code>')
  expect(text).toContain('It has no https, which most vendors require.')
  expect(text).toContain('confirmed by Intuit: OAuth client for Node.js')
})

test('an app shows what its requests have besides the standard, and its limits', async () => {
  const shopify = (await open('/catalogue/shopify')).text
  const outlook = (await open('/catalogue/outlook-mail')).text
  const figma = (await open('/catalogue/figma')).text

  expect(shopify).toContain('<dt>Also in token requests</dt><dd>expiring=1')
  expect(shopify).toContain('<dt>Live grants</dt><dd>1 for each account; a new one ends the oldest')
  expect(outlook).toContain('<dt>Tenants can set</dt><dd>Microsoft tenant, otherwise common')
  expect(figma).toContain('<code>https://api.figma.com/v1/oauth/refresh</code>')
})

test('an app with one source shows the entry that accepts it', async () => {
  const { text } = await open('/catalogue/mendeley')

  expect(text).toContain('&#34;acceptListed&#34;: true')
  expect(text).toContain('not confirmed by a source')
})

test('an app that names redirect URIs shows an entry with the name', async () => {
  const { text } = await open('/catalogue/ebay')

  expect(text).toContain('&#34;redirectUriName&#34;: &#34;…&#34;')
})

test('a value that a source contradicts is shown with the other value', async () => {
  const { text } = await open('/catalogue/trakt')

  expect(text).toContain('Trakt: OpenAPI document has instead: https://auth.trakt.tv/oauth/authorize')
})

test('an app without a health check states that access is never tested', async () => {
  const { text } = await open('/catalogue/highlevel')

  expect(text).toContain('Never tested')
})

test('an app shows the request that its health checks make', async () => {
  const { text } = await open('/catalogue/xero-projects')

  expect(text).toContain('Calls list_connections')
})

test('an app whose refresh tokens stay the same is tested by a refresh', async () => {
  const { text } = await open('/catalogue/square')

  expect(text).toContain('Refreshes the access token')
})

test('an MCP server needs no registration', async () => {
  const { text } = await open('/catalogue/airtable-mcp')

  expect(text).toContain('It can be linked without registering an app.')
  expect(text).not.toContain('redirect-uri')
})

test.each(['/catalogue/no-such-app', '/catalogue/__proto__'])('%s returns 404', async (path) => {
  expect((await open(path)).status).toBe(404)
})

test('shows a search as text', async () => {
  const { text } = await open(`/catalogue?q=${encodeURIComponent('"><script>alert(1)</script>')}`)

  expect(text).not.toContain('<script>alert')
  expect(text).toContain('No app found')
})

test('an unknown filter value returns 422', async () => {
  expect((await open('/catalogue?category=magic')).status).toBe(422)
})

test('the public catalogue shows no addresses of an app that the deployment defines', async () => {
  const { status, text } = await open('/catalogue/provider')

  expect(status).toBe(200)
  expect(text).toContain('This server has an OAuth client for it.')
  expect(text).not.toContain(new URL(world.provider.url).host)
  expect(text).not.toContain('Add it to the integrations file')
})

test('an app that the deployment changed shows the addresses of the catalogue', async () => {
  const changed = await startOnboarding({ integration: { id: 'pipedrive' } })

  const text = await (await fetch(`${changed.url}/catalogue/pipedrive`)).text()
  await changed.close()

  expect(text).not.toContain(new URL(changed.provider.url).host)
  expect(text).toContain('<code>https://oauth.pipedrive.com/oauth/token</code>')
})
