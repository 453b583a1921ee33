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

/** What stands below the heading that an address leads to. */
async function explanationAt(address: string): Promise<string> {
  const { headers } = await request(app).get(address).expect(302)
  const [page = '', id] = String(headers.location).split('#')
  const [, text = ''] = new RegExp(`<h2 id="${id}">.*?</h2>([\\s\\S]*?)(?=<h2|<nav)`).exec(await read(page)) ?? []
  return wordsIn(text)
}

const plain = (text: string) => wordsIn(text.replaceAll('`', ''))

test.each(failureCodes)('the type of the problem %s leads to what it means and what to do', async (code) => {
  expect(await explanationAt(`/problems/${code}`)).toBe(
    `${failures[code].status}: ${failures[code].title}. ${plain(failures[code].explanation)}`,
  )
})

test.each(causeCodes)('the guide of the cause %s leads to whose move it is and what to do', async (code) => {
  const { whoseMove, title, advice } = causes[code]

  expect(await explanationAt(explain(code).guide)).toBe(
    `${title}. ${plain(advice)} Action needed from: ${whoseMove}. More about it`,
  )
})

test('the page of events has each of them, with its members and an example that its schema accepts', async () => {
  const text = await read('/docs/reference/events')
  const examples = [...text.matchAll(/<code data-language="json">([\s\S]*?)<\/code>/g)].map(([, json = '']) =>
    JSON.parse(json.replaceAll('&#34;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')),
  )

  expect(examples.map(({ type }) => type)).toEqual(tenantEventNames)
  for (const [at, { body }] of webhookMessages.entries()) expect(body.safeParse(examples[at]).error).toBeUndefined()
  for (const member of Object.keys(examples[0].data)) expect(text).toContain(`<code>data.${member}</code>`)
})

test('the drawing and the table of a link have every status there is', () => {
  const drawn = [...readDocument('docs/images/link-status.svg').matchAll(/text-anchor="middle">(\w+)<\/text>/g)]
  const explained = [...readDocument('docs/concepts.md').matchAll(/^\| `(?!status`)(\w+)` \|/gm)]

  expect(drawn.map(([, status]) => status).sort()).toEqual([...linkStatuses].sort())
  expect(explained.map(([, status]) => status).sort()).toEqual([...linkStatuses].sort())
})

test('the contents lead to every guide, and each page to all others', async () => {
  const contents = addressesIn(await read('/docs/guides'))
  const guides = documents().filter((path) => path.startsWith('docs/guides/'))

  expect(contents).toEqual(expect.arrayContaining(guides.map((path) => `/${path.replace('.md', '')}`)))
  expect(new Set(contents).size).toBe(contents.length)
  for (const address of contents) expect(addressesIn(await read(address))).toEqual(contents)
})

const addressesIn = (html: string): string[] => {
  const [nav = ''] = /<nav class="docs-contents[\s\S]*?<\/nav>/.exec(html) ?? []
  return [...nav.matchAll(/href="([^"]+)"/g)].map(([, address = '']) => address)
}

test('no link of any page is broken', async () => {
  const broken: string[] = []
  for (const from of ['/docs/guides', '/docs/api', ...addressesIn(await read('/docs/guides'))]) {
    for (const [, target = ''] of (await read(from)).matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (!(await leadsSomewhere(from, target))) broken.push(`${from}: ${target}`)
    }
  }

  expect(broken).toEqual([])
})

test('what makes a link broken is found', async () => {
  expect(await leadsSomewhere('/docs/guides', '/docs/guides/test-mode#choose-what-happens')).toBe(true)
  expect(await leadsSomewhere('/docs/guides', '/docs/guides/test-mode#nothing')).toBe(false)
  expect(await leadsSomewhere('/docs/guides', '/docs/guides/nothing')).toBe(false)
  expect(await leadsSomewhere('/docs/guides', '')).toBe(false)
})

/** Pages of other parts of the program have no home in this test; what they are is another test's. */
const elsewhere = /^\/(?:$|catalogue$|support$)/

async function leadsSomewhere(from: string, target: string): Promise<boolean> {
  if (/^https?:/.test(target) || elsewhere.test(target)) return true
  const { pathname, hash } = new URL(target || '/nothing', `https://site${from}`)
  const answer = pages.has(pathname) ? { status: 200, text: await read(pathname) } : await request(app).get(pathname)
  if (answer.status !== 200) return false
  return hash === '' || answer.text.includes(`id="${hash.slice(1)}"`)
}

test('the search finds guides by their headings, generated pages and operations', async () => {
  const { body } = await request(app).get('/docs/search.json').expect(200)
  const found = (heading: string) => body.find((passage: { heading: string }) => passage.heading === heading)?.address

  expect(found('Choose what happens')).toBe('/docs/guides/test-mode#choose-what-happens')
  expect(found('consent_denied')).toBe('/docs/reference/causes#consent_denied')
  expect(found('Create a connect session')).toBe('/docs/api#createConnectSession')
  expect(new Set(body.map(({ address }: { address: string }) => address)).size).toBe(body.length)
})

test('the policy is the strict one everywhere, except that the reference may style itself', async () => {
  const policyOf = async (address: string) =>
    String((await request(app).get(address)).headers['content-security-policy'])
  const strict = await policyOf('/docs/guides')

  expect(await policyOf('/docs/api')).toBe(strict)
  expect(await policyOf('/docs/guides/test-mode')).toBe(strict)
  expect(strict).toContain("script-src 'self';style-src 'self';")
  expect(await policyOf('/docs')).toBe(strict.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"))
})

test('the reference script is compressed if the client accepts it', async () => {
  const compressed = await request(app).get('/assets/vendor/minisearch.js').set('Accept-Encoding', 'gzip, br')
  const plainOne = await request(app).get('/assets/vendor/minisearch.js').set('Accept-Encoding', 'identity')

  expect(compressed.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' })
  expect(compressed.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(plainOne.headers['content-encoding']).toBeUndefined()
  expect(plainOne.text).toContain('class MiniSearch')
})

test('an address of the documentation that does not exist is not found', async () => {
  await request(app).get('/docs/guides/nothing').expect(404)
  await request(app).get('/docs/decisions/README').expect(404)
  await request(app).get('/docs/images/..%2f..%2fpackage.json').expect(404)
})
