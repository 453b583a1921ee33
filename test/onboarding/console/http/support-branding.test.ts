import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { pngFile, wordMark } from '../../../support/doubles/pictures.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, formTokenIn, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let admin: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  admin = await world.signIn(people.admin)
})
afterAll(() => world.close())
beforeEach(() => world.api('PATCH', '/tenants/acme', { branding: {} }))

const form = {
  accentColor: '#c2410c',
  supportUrl: 'https://acme.example/help',
  privacyUrl: '',
  termsUrl: '',
  'wording.de.intro': 'Wir suchen Termine, die allen passen.',
  'wording.de.help': '',
  'wording.fr.intro': '',
  previewLocale: 'de',
  reason: 'ticket 1',
}
const saved = {
  accentColor: '#c2410c',
  supportUrl: 'https://acme.example/help',
  wording: { de: { intro: 'Wir suchen Termine, die allen passen.' } },
}
const tenant = async () => (await world.api('GET', '/tenants/acme')).body
const lastOf = async (action: string) =>
  (
    await world.sql.query('select reason, actor_id, after from audit where action = $1 order by id desc limit 1', [
      action,
    ])
  ).rows[0]

async function upload(browser: HttpBrowser, scheme: string, file: Buffer, more: Record<string, string> = {}) {
  const body = new FormData()
  body.set('csrf', formTokenIn((await world.open(browser, '/account')).text))
  body.set('reason', 'ticket 2')
  for (const [name, value] of Object.entries(more)) body.set(name, value)
  body.set('image', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'logo.png')
  return browser.upload(`${world.url}/support/tenants/acme/logos/${scheme}`, body)
}

test('an admin saves color, links and texts under the API’s rules, with an audited reason', async () => {
  const answer = await world.send(admin, '/tenants/acme/branding', form)
  const page = await admin.follow(answer)

  expect(await tenant()).toMatchObject({ branding: saved })
  expect(page.text).toContain('The changes are saved.')
  expect(page.text).toContain('value="Wir suchen Termine, die allen passen."')
  expect(page.text).toMatch(/<svg[^>]*>.*fill="#c2410c"/)
  expect(await lastOf('tenant.put')).toMatchObject({ reason: 'ticket 1', actor_id: people.admin.sub })
})

test.each([
  [{ accentColor: 'red' }, 'must be a color such as #0c6863'],
  [{ 'wording.de.intro': '<b>Hallo</b>' }, 'must be plain text, without markup'],
  [{ supportUrl: 'javascript:alert(1)' }, 'must be an https address'],
])('%j is neither saved nor previewed, and the page explains why', async (bad, words) => {
  const answers = [
    await world.send(admin, '/tenants/acme/branding', { ...form, ...bad }),
    await world.send(admin, '/tenants/acme/branding/preview', { ...form, ...bad }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([422, 422])
  for (const { text } of answers) expect(text).toContain(words)
  expect((await tenant()).branding).toBeUndefined()
})

test("the preview renders the user's page with the form's values and saves nothing", async () => {
  const { status, text, headers } = await world.send(admin, '/tenants/acme/branding/preview', form)

  expect(status).toBe(200)
  expect(headers.get('content-language')).toBe('de')
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(text).toContain('href="/accents/c2410c.css"')
  expect(text).toContain('Wir suchen Termine, die allen passen.')
  expect(text).toContain('<strong>Preview</strong>')
  expect(text.match(/<button/g)).toHaveLength(text.match(/<button[^>]* type="button"/g)?.length ?? 0)
  expect((await tenant()).branding).toBeUndefined()
})

test('an admin uploads a logo, sees it, and deletes it', async () => {
  const page = await admin.follow(await upload(admin, 'light', await wordMark('#123456')))
  const { logos } = await tenant()
  const noted = await lastOf('tenant.logo_put')
  const preview = await world.open(admin, '/tenants/acme/branding/preview')
  await world.send(admin, '/tenants/acme/logos/light/delete', { reason: 'ticket 3' })

  expect(page.text).toContain(`<img src="${logos.light.url}" alt="Logo of Acme" width="200" height="35">`)
  expect(page.text).toContain('Recommended: the logo above is too dark for dark pages')
  expect(preview.text).toContain(logos.light.url)
  expect(noted).toMatchObject({ reason: 'ticket 2', actor_id: people.admin.sub, after: { size: '400 × 70' } })
  expect((await tenant()).logos).toBeUndefined()
  expect(await lastOf('tenant.logo_deleted')).toMatchObject({ reason: 'ticket 3', actor_id: people.admin.sub })
})

test('a file that is not an image is rejected, whatever its name', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  const answer = await upload(admin, 'light', svg)
  const large = await upload(admin, 'light', Buffer.alloc(2_000_000))

  expect(answer.status).toBe(422)
  expect(answer.text).toContain('SVG is not accepted, because it can contain scripts')
  expect(large.status).toBe(413)
  expect((await tenant()).logos).toBeUndefined()
})

test('an upload needs the CSRF token, a reason and a file, and other forms accept no files', async () => {
  const file = pngFile({ width: 40, height: 40 })
  const foreign = await upload(admin, 'light', file, { csrf: 'guessed' })
  const unreasoned = await upload(admin, 'light', file, { reason: '' })
  const urlencoded = await world.send(admin, '/tenants/acme/logos/light', { reason: 'ticket', image: 'x' })
  const elsewhere = new FormData()
  elsewhere.set('csrf', formTokenIn((await world.open(admin, '/account')).text))
  const other = await admin.upload(`${world.url}/support/tenants/acme/suspend`, elsewhere)
  const broken = await admin.send(`${world.url}/support/tenants/acme/logos/light`, {
    method: 'POST',
    headers: { Origin: world.url, 'Content-Type': 'multipart/form-data; boundary=x' },
  })

  expect([foreign, unreasoned, urlencoded, other].map(({ status }) => status)).toEqual([403, 422, 415, 415])
  expect([400, 403]).toContain(broken.status)
  expect((await tenant()).logos).toBeUndefined()
})

test("an agent sees the branding and its preview, but can't change it", async () => {
  const agent = await world.signIn(people.agent)
  const page = await world.open(agent, '/tenants/acme/branding')
  const preview = await world.send(agent, '/tenants/acme/branding/preview', form)
  const answers = [
    await world.send(agent, '/tenants/acme/branding', form),
    await upload(agent, 'light', pngFile({ width: 40, height: 40 })),
    await world.send(agent, '/tenants/acme/logos/light/delete', { reason: 'ticket' }),
  ]

  expect(page.text).toContain('Only admins can change tenants.')
  expect(page.text).not.toContain('>Save<')
  expect(preview.status).toBe(200)
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  expect(await tenant()).not.toHaveProperty('branding')
})

test('the preview requires a sign-in', async () => {
  const answer = await fetch(`${world.url}/support/tenants/acme/branding/preview`, { redirect: 'manual' })

  expect([answer.status, answer.headers.get('location')?.startsWith('/support/sign-in')]).toEqual([303, true])
})

test('the languages begin with English, and the others are sorted by name', async () => {
  const { text } = await world.open(admin, '/tenants/acme/branding')

  const languages = [...text.matchAll(/<summary>([A-Z][^<]+?)(?: \(no pages.*?)?<\/summary>/g)].map(([, name]) => name)
  expect(languages.filter((name) => name !== 'Upload').slice(0, 6)).toEqual([
    'English',
    'Brazilian Portuguese',
    'French',
    'German',
    'Japanese',
    'Spanish',
  ])
})
