// The tenant's own color, links, logo and words on the pages of its users.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pngFile, wordMark } from '../../../support/doubles/pictures.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { returnUrl } from '../../../support/worlds/onboarding-world.ts'
import { type RelinkWorld, startRelinking } from '../../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

const branding = {
  accentColor: '#ffe600',
  supportUrl: 'https://acme.example/help',
  privacyUrl: 'https://acme.example/privacy',
}

const change = (body: object) => world.api('PATCH', '/tenants/acme', body)
const open = async (language = 'fr') =>
  (await new HttpBrowser({ 'Accept-Language': language }).get((await world.mint()).url)).text

describe('a tenant with a color and links', () => {
  test('has them on its pages, in the language of the page, without its own styles or scripts', async () => {
    await change({ branding })

    const page = await open()

    expect(page).toContain('<link rel="stylesheet" href="/accents/ffe600.css">')
    expect(page).toMatch(/<a href="https:\/\/acme\.example\/help" target="_blank" rel="noopener noreferrer">Aide<\/a>/)
    expect(page).toContain('>Confidentialité</a>')
    expect(page).not.toContain('Conditions d’utilisation')
    expect(page).not.toMatch(/style=|<style/)
  })

  test('keeps them when other fields change, and removes them when they are cleared', async () => {
    await change({ branding })

    const renamed = await change({ displayName: 'Acme' })
    const put = await world.api('PUT', '/tenants/acme', {
      workspace: 'acme',
      displayName: 'Acme',
      returnUrls: [returnUrl],
    })
    const cleared = await change({ branding: {} })

    expect([renamed.body.branding, put.body.branding]).toEqual([branding, branding])
    expect(cleared.body).not.toHaveProperty('branding')
    expect(await open()).not.toContain('/accents/')
    expect((await world.audit('tenant.put')).at(-1)?.before).toMatchObject({ accentColor: '#ffe600' })
  })
})

describe('an error page', () => {
  const cancelled = async () => {
    const { id, url } = await world.mint()
    await world.api('POST', `/connect-sessions/${id}/cancel`)
    return url
  }

  test('names the tenant of a cancelled URL, and none for a URL that never existed', async () => {
    await change({ branding })

    const { url } = await world.mint()
    const unknown = await new HttpBrowser().get(`${url.slice(0, -4)}AAAA`)
    const ended = await new HttpBrowser().get(await cancelled())

    expect([unknown.status, ended.status]).toEqual([410, 410])
    expect(unknown.text).not.toMatch(/accents|Acme/)
    expect(ended.text).toContain('Acme')
  })
})

test('redirect pages have the tenant’s branding', async () => {
  await change({ branding })
  const browser = new HttpBrowser()
  const { url } = await world.mint()
  await browser.get(url)

  const away = await browser.post(url, {})
  const back = await browser.post(`${(await world.mint()).url}?cancel`, {})

  for (const page of [away, back]) {
    expect(page.status).toBe(200)
    expect(page.text).toContain('<link rel="stylesheet" href="/accents/ffe600.css">')
    expect(page.text).toMatch(/<title>[^<]* · Acme<\/title>/)
  }
})

test.each([
  [{ accentColor: 'red' }, '/branding/accentColor'],
  [{ accentColor: '#FFE600' }, '/branding/accentColor'],
  [{ accentColor: '#ffe600;}body{display:none' }, '/branding/accentColor'],
  [{ supportUrl: 'javascript:alert(1)' }, '/branding/supportUrl'],
  [{ privacyUrl: 'http://acme.example' }, '/branding/privacyUrl'],
  [{ css: 'body{}' }, '/branding/css'],
  [{ logo: 'https://evil.example/logo.png' }, '/branding/logo'],
  [{ wording: { fr: { intro: '<b>Bonjour</b>' } } }, '/branding/wording/fr/intro'],
  [{ wording: { fr: { help: 'Voir https://evil.example' } } }, '/branding/wording/fr/help'],
  [{ wording: { fr: { intro: 'Bon\u202Ejour' } } }, '/branding/wording/fr/intro'],
  [{ wording: { fr: { intro: 'x'.repeat(201) } } }, '/branding/wording/fr/intro'],
  [{ wording: { fr: { intro: '' } } }, '/branding/wording/fr/intro'],
  [{ wording: { fr: { title: 'Connectez' } } }, '/branding/wording/fr/title'],
  [{ wording: { klingonese: { intro: 'Qapla’' } } }, '/branding/wording/klingonese'],
])('rejects %j', async (bad, pointer) => {
  const { status, body } = await change({ branding: bad })

  expect(status).toBe(422)
  expect(body.errors[0].pointer).toBe(pointer)
})

describe('the style sheet of a color', () => {
  const get = (name: string) => fetch(`${world.url}/accents/${name}`)

  test('contains only colors', async () => {
    const answer = await get('ffe600.css')

    expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect((await answer.text()).replace(/--[a-z-]+: #[0-9a-f]{6};/g, '').replace(/\s+/g, ' ')).toBe(
      ':root { } @media (prefers-color-scheme: dark) { :root { } } ',
    )
  })

  test.each(['ffe60.css', 'ffe600', 'FFE600.css', 'ffe600.css.css', 'ffe600%7D.css'])(
    'returns 404 for %s',
    async (name) => {
      expect((await get(name)).status).toBe(404)
    },
  )
})

describe('texts of a tenant', () => {
  const wording = {
    fr: { intro: 'Nous cherchons un créneau pour tous.', help: 'Une question ? Appelez-nous.' },
    pt: { intro: 'Procuramos um horário.' },
  }

  test('are quoted on its connect page in the language of the page', async () => {
    await change({ branding: { wording } })

    const [french, portuguese, german] = [await open('fr'), await open('pt-BR'), await open('de')]
    await change({ branding: {} })

    expect(french.match(/<figcaption><bdi>Acme</g)).toHaveLength(1)
    expect(french).toMatch(/<blockquote lang="fr" dir="auto">\s*<p>Nous cherchons un créneau pour tous.<\/p>/)
    expect(french).toContain('<p>Une question ? Appelez-nous.</p>')
    expect(portuguese).toMatch(/<blockquote lang="pt" dir="auto">\s*<p>Procuramos um horário.<\/p>/)
    expect(german).not.toContain('<blockquote')
  })

  test('are shown beside our own texts, which cannot be replaced', async () => {
    const ours = await open('fr')
    await change({ branding: { wording } })

    const page = await open('fr')
    const withoutTheirs = page.replaceAll(/\s*<figure[\s\S]*?<\/figure>/g, '')
    await change({ branding: {} })

    const steady = (text: string) => text.replaceAll(/req_[\w-]+/g, '').replaceAll(/\s+/g, ' ')
    expect(steady(withoutTheirs)).toBe(steady(ours))
    expect((await world.audit('tenant.put')).at(-1)?.before).toMatchObject({
      'wording.fr.help': 'Une question ? Appelez-nous.',
    })
  })
})

describe('without a logo', () => {
  test("shows the tenant's name prominently, and ours in small print", async () => {
    const page = await open('en')

    expect(page).toMatch(/<header>\s*<span class="brand">\s*<bdi>Acme<\/bdi>\s*<\/span>/)
    expect(page).toMatch(/<footer\b[\s\S]*Powered by Causeway/)
    expect(page).toContain('<title>Connect Provider to Acme · Acme</title>')
  })
})

describe('a logo', () => {
  const put = (scheme: string, file: Buffer) =>
    world.api('PUT', `/tenants/acme/logos/${scheme}`, { image: file.toString('base64') })
  const remove = (scheme: string) => world.api('DELETE', `/tenants/acme/logos/${scheme}`)

  test('is shown on light and dark pages with its size', async () => {
    const { body: light } = await put('light', await wordMark('#123456'))
    const onlyLight = await open('en')
    const { body: dark } = await put('dark', await wordMark('#f0f0f0'))
    const both = await open('en')
    const { body: tenant } = await world.api('GET', '/tenants/acme')
    const removed = [await remove('dark'), await remove('light'), await remove('light')]

    const image = `<img src="${light.url}" alt="Acme" width="200" height="35">`
    expect(light).toMatchObject({
      url: expect.stringMatching(/^\/logos\/[0-9a-f]{64}\.png$/),
      width: 200,
      height: 35,
      readableOnDark: false,
    })
    expect(onlyLight).toMatch(/<picture class="logo" data-tile>/)
    expect(onlyLight).toContain(image)
    expect(both).toContain(`<source media="(prefers-color-scheme: dark)" srcset="${dark.url}" width="200" height="35">`)
    expect(tenant.logos).toEqual({ light, dark })
    expect(removed.map(({ status }) => status)).toEqual([204, 204, 404])
    expect(await open('en')).not.toContain('<picture')
  })

  test('is served as an immutable PNG', async () => {
    const { body } = await put('light', await wordMark('#123456'))

    const answer = await fetch(`${world.url}${body.url}`)

    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
  })

  test('that was deleted or never existed returns 404', async () => {
    const { body } = await put('light', await wordMark('#123456'))
    await remove('light')

    const names = [body.url, `/logos/${'0'.repeat(64)}.png`, '/logos/x.png', '/logos/.png']
    const answers = await Promise.all(names.map((name) => fetch(`${world.url}${name}`)))

    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 404))
  })

  test('is audited when it is set and deleted', async () => {
    await put('light', await wordMark('#123456'))
    await remove('light')

    const [set, deleted] = [
      (await world.audit('tenant.logo_put')).at(-1),
      (await world.audit('tenant.logo_deleted')).at(-1),
    ]
    expect(set?.after).toMatchObject({ colorScheme: 'light', size: '400 × 70' })
    expect(deleted?.before).toEqual(set?.after)
  })

  const kinds = 'must be a PNG, JPEG or WebP image'
  test.each([
    ['an SVG with a script', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), 'SVG'],
    ['a page', Buffer.from('<html><img src=x onerror=alert(1)>'), kinds],
    ['a PNG by name only', Buffer.from('\x89PNG\r\n\x1a\n<svg/>', 'latin1'), 'could not be read'],
    ['a truncated file', pngFile({ width: 40, height: 40 }).subarray(0, 50), 'could not be read'],
    ['too many pixels', pngFile({ width: 3_000, height: 2_000, data: Buffer.alloc(9) }), '4,000,000 pixels'],
    ['a pixel', pngFile({ width: 1, height: 1 }), 'at least 20 pixels'],
    ['a line', pngFile({ width: 400, height: 20 }), '8 times'],
    ['too many bytes', Buffer.concat([pngFile({ width: 40, height: 40 }), Buffer.alloc(512 * 1024)]), '512 kB'],
  ])('%s is rejected', async (_what, file, words) => {
    const { status, body } = await put('light', file)

    expect(status).toBe(422)
    expect(body.errors).toEqual([{ pointer: '/image', detail: expect.stringContaining(words) }])
  })

  test.each([
    ['light', 'data:image/png;base64,iVBO', '/image'],
    ['light', 'not base64!', '/image'],
    ['sepia', 'iVBO', '/colorScheme'],
  ])('for %s pages, sent as %s, is rejected', async (scheme, image, pointer) => {
    const { status, body } = await world.api('PUT', `/tenants/acme/logos/${scheme}`, { image })

    expect([status, body.errors?.[0].pointer]).toEqual([422, pointer])
  })

  test('that exceeds the body limit is rejected', async () => {
    const { status } = await put('light', Buffer.alloc(2_000_000))

    expect(status).toBe(413)
  })
})

test.each([
  ['turned around', 'Acme\u202Egro.live'],
  ['invisible', '\u200B\u200B'],
  ['a mix of two alphabets', 'Gооgle'],
])('rejects a name that is %s', async (_what, displayName) => {
  const { status, body } = await change({ displayName })

  expect([status, body.errors[0].pointer]).toEqual([422, '/displayName'])
})
