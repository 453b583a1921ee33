import request from 'supertest'
import { expect, test } from 'vitest'
import { causeCodes, causes, explain } from '../../../src/onboarding/domain/cause.ts'
import { failureCodes, failures } from '../../../src/onboarding/domain/failure.ts'
import { linkStatuses } from '../../../src/onboarding/domain/link.ts'
import { tenantEventNames } from '../../../src/onboarding/domain/tenant-event.ts'
import { webhookMessages } from '../../../src/onboarding/webhooks/http/webhook-messages.ts'
import { documents, readDocument } from '../../architecture/documents.ts'
import { docsApp } from '../../support/http/docs-app.ts'

const app = docsApp()
const pages = new Map<string, Promise<string>>()

/** Each page is asked for once. */
function read(address: string): Promise<string> {
  const known =
    pages.get(address) ??
    request(app)
      .get(address)
      .expect(200)
      .then(({ text }) => text)
  pages.set(address, known)
  return known
}

const wordsIn = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#39;|&quot;|&#34;/g, (sign) => (sign === '&#39;' ? "'" : '"'))
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Returns the text below the heading that a link targets. */
async function explanationAt(address: string): Promise<string> {
  const { headers } = await request(app).get(address).expect(302)
  const [page = '', id] = String(headers.location).split('#')
  const [, text = ''] = new RegExp(`<h2 id="${id}">.*?</h2>([\\s\\S]*?)(?=<h2|<nav)`).exec(await read(page)) ?? []
  return wordsIn(text)
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const plain = (text: string) => wordsIn(text.replaceAll('`', ''))

test.each(failureCodes)('the type of the problem %s links to its meaning and remedy', async (code) => {
  expect(await explanationAt(`/problems/${code}`)).toBe(
    `${failures[code].status}: ${failures[code].title}. ${plain(failures[code].explanation)} Action needed from: ${failures[code].whoseMove}.`,
  )
})

test.each(causeCodes)('the guide of the cause %s states whose move it is and what to do', async (code) => {
  const { whoseMove, title, advice } = causes[code]

  expect(await explanationAt(explain(code).guide)).toMatch(
    new RegExp(`^${escaped(`${title}. ${plain(advice)} Action needed from: ${whoseMove}.`)} Guide: `),
  )
})

test('the events page lists each event with its fields and a valid example', async () => {
  const text = await read('/docs/reference/events')
  const examples = [...text.matchAll(/<code data-language="json">([\s\S]*?)<\/code>/g)].map(([, json = '']) =>
    JSON.parse(wordsIn(json).replaceAll('&amp;', '&')),
  )

  expect(examples.map(({ type }) => type)).toEqual(tenantEventNames)
  for (const [at, { body }] of webhookMessages.entries()) expect(body.safeParse(examples[at]).error).toBeUndefined()
  for (const member of Object.keys(examples[0].data)) expect(text).toContain(`<code>data.${member}</code>`)
})

test('the diagram and the table of a link contain every status', () => {
  const drawn = [...readDocument('docs/images/link-status.svg').matchAll(/text-anchor="middle">(\w+)<\/text>/g)]
  const explained = [...readDocument('docs/concepts.md').matchAll(/^\| `(?!status`)(\w+)` \|/gm)]

  expect(drawn.map(([, status]) => status).sort()).toEqual([...linkStatuses].sort())
  expect(explained.map(([, status]) => status).sort()).toEqual([...linkStatuses].sort())
})

test('the contents link to every guide, and each page to all others', async () => {
  const contents = addressesIn(await read('/docs'))
  const guides = documents().filter((path) => path.startsWith('docs/guides/'))

  expect(contents).toEqual(expect.arrayContaining(guides.map((path) => `/${path.replace('.md', '')}`)))
  expect(new Set(contents).size).toBe(contents.length)
  for (const address of contents) expect(addressesIn(await read(address))).toEqual(contents)
})

const addressesIn = (html: string): string[] => {
  const [nav = ''] = /<nav class="docs-contents[\s\S]*?<\/nav>/.exec(html) ?? []
  const contents = nav.slice(nav.indexOf('<h2>'))
  return [...contents.matchAll(/href="(\/[^"]+)"/g)].map(([, address = '']) => address)
}

test('no page has a broken link', async () => {
  const broken: string[] = []
  const from = ['/docs', ...addressesIn(await read('/docs')), ...addressesIn(await read('/docs/api'))]
  for (const page of from) {
    for (const [, target = ''] of (await read(page)).matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (!(await leadsSomewhere(page, target))) broken.push(`${page}: ${target}`)
    }
  }

  expect(broken).toEqual([])
})

test('detects a broken link', async () => {
  expect(await leadsSomewhere('/docs', '/docs/guides/test-mode#choose-what-happens')).toBe(true)
  expect(await leadsSomewhere('/docs', '/docs/guides/test-mode#nothing')).toBe(false)
  expect(await leadsSomewhere('/docs', '/docs/guides/nothing')).toBe(false)
  expect(await leadsSomewhere('/docs', '')).toBe(false)
})

/** Pages that this test does not serve. */
const elsewhere = /^\/(?:$|catalogue$|support$)/

async function leadsSomewhere(from: string, target: string): Promise<boolean> {
  if (/^https?:/.test(target) || elsewhere.test(target)) return true
  const { pathname, hash } = new URL(target || '/nothing', `https://site${from}`)
  const answer = pages.has(pathname) ? { status: 200, text: await read(pathname) } : await request(app).get(pathname)
  if (answer.status !== 200) return false
  return hash === '' || answer.text.includes(`id="${hash.slice(1)}"`)
}

test('search finds guides by their headings, generated pages and operations', async () => {
  const { body } = await request(app).get('/docs/search.json').expect(200)
  const found = (heading: string) => body.find((passage: { heading: string }) => passage.heading === heading)?.address

  expect(found('Choose what happens')).toBe('/docs/guides/test-mode#choose-what-happens')
  expect(found('consent_denied')).toBe('/docs/reference/causes#consent_denied')
  expect(found('Create a connect session')).toBe('/docs/api/connect-sessions#createConnectSession')
  expect(new Set(body.map(({ address }: { address: string }) => address)).size).toBe(body.length)
})

test.each(['/docs', '/docs/guides/test-mode', '/docs/api', '/docs/api/webhooks'])(
  'the policy of %s allows no inline script or style',
  async (address) => {
    const { headers, text } = await request(app).get(address)

    expect(headers['content-security-policy']).toContain("script-src 'self';style-src 'self';")
    expect(text).not.toMatch(/<style|<script>| style=/)
  },
)

test.each([
  ['/docs/guides', '/docs'],
  ['/docs/reference/problems', '/docs/reference/errors'],
  ['/docs/openapi.json', '/openapi.json'],
])('the former address %s redirects to %s', async (from, to) => {
  expect((await request(app).get(from).expect(301)).headers.location).toBe(to)
})

test('the API reference begins with the calls that developers need first, and ends with those of operators', async () => {
  const groups = addressesIn(await read('/docs/api')).map((address) => address.replace('/docs/api/', ''))

  expect(groups.slice(1, 5)).toEqual(['connect-sessions', 'links', 'connections', 'webhooks'])
  expect(groups.slice(-2)).toEqual(['tenants', 'audit'])
})

test('the API introduction lists the libraries, and redirects former addresses to every call', async () => {
  const text = await read('/docs/api')

  expect(wordsIn(text)).toMatch(/@causeway\/client is the client for Node\.js.*Python/)
  expect(text).toMatch(/<li id="createConnectSession"><a href="\/docs\/api\/connect-sessions#createConnectSession">/)
  expect(text).toContain('<h2 id="causes">')
  expect(text).toContain('<h2 id="problems">')
})

test('an unknown documentation address returns 404', async () => {
  await request(app).get('/docs/guides/nothing').expect(404)
  await request(app).get('/docs/decisions/README').expect(404)
  await request(app).get('/docs/images/..%2f..%2fpackage.json').expect(404)
})
