// Pages in the language of whoever reads them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { misbehaviours } from '../../support/doubles/provider/misbehaviours.ts'
import { HttpBrowser, type Visit } from '../../support/http/http-browser.ts'
import { type RelinkWorld, startRelinking, titleOf } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking({
    integration: {
      scopes: [
        { name: 'openid' },
        { name: 'files.read', description: 'See your files' },
        { name: 'dogs.walk', description: 'Walk your dog' },
      ],
    },
  })
})
afterAll(() => world.close())

const languageOf = ({ text, headers }: Visit) => ({
  html: /<html lang="([^"]*)" dir="([^"]*)">/.exec(text)?.slice(1),
  header: headers.get('content-language'),
  vary: headers.get('vary'),
})

const speaking = (language: string) => new HttpBrowser({ 'Accept-Language': language })

describe('the connect page', () => {
  test.each([
    ['de', 'Provider mit Acme verbinden'],
    ['fr-CA', 'Connecter Provider à Acme'],
    ['es-419', 'Conectar Provider con Acme'],
    ['pt', 'Conectar Provider a Acme'],
    ['ja-JP', 'Provider\u00a0を Acme\u00a0と連携'],
    ['en-GB', 'Connect Provider to Acme'],
    ['it', 'Connect Provider to Acme'],
  ])('speaks the language of the session: %s', async (locale, title) => {
    const { url } = await world.mint({ locale })

    expect(titleOf(await new HttpBrowser().get(url))).toBe(title)
  })

  test('speaks the language of the browser if the session names none, or none of ours', async () => {
    const [unnamed, unknown] = [await world.mint(), await world.mint({ locale: 'it' })]

    const page = await speaking('it;q=0.9, de-AT, en;q=0.5').get(unnamed.url)

    expect(titleOf(page)).toBe('Provider mit Acme verbinden')
    expect(languageOf(page)).toEqual({ html: ['de', 'ltr'], header: 'de', vary: 'Accept-Language' })
    expect(titleOf(await speaking('fr').get(unknown.url))).toBe('Connecter Provider à Acme')
  })

  test('says in its own language what it can, and marks what it cannot', async () => {
    const { text } = await speaking('de').get((await world.mint()).url)

    expect(text).toContain('<span>Ihre Dateien sehen</span>')
    expect(text).toContain('<span lang="en">Walk your dog</span>')
  })

  test('says when it expires in its last five minutes only', async () => {
    const open = async (ttlSeconds: number) => (await speaking('de').get((await world.mint({ ttlSeconds })).url)).text

    expect(await open(299)).toMatch(/Diese Seite läuft in \d+ Minuten ab\./)
    expect(await open(900)).not.toContain('Diese Seite läuft')
  })

  test('runs from right to left where the language does', async () => {
    const page = await new HttpBrowser().get((await world.mint({ locale: 'ar-XB' })).url)

    expect(languageOf(page).html).toEqual(['ar-XB', 'rtl'])
  })

  test('has no text that a translator could not reach', async () => {
    const { text } = await new HttpBrowser().get((await world.mint({ locale: 'en-XA' })).url)

    const names = /^(?:P|A|Causeway|Provider|Acme|Walk your dog|acme\.example|user-\d+|.*@.*|req_.*|\s*)$/
    const body = text.slice(text.indexOf('<body'))
    const untranslated = body
      .replace(/<[^>]*>/g, '\n')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => !line.startsWith('⟦') && !line.includes('⟧') && !names.test(line))
    expect(untranslated).toEqual([])
  })
})

test('the language stays: on the way to the app, on the page of the link, and for the next re-link', async () => {
  const id = await world.link({ locale: 'de' })
  const again = await world.mintRelink(id)
  world.provider.misbehave(misbehaviours.narrowerScope)
  const browser = speaking('fr')

  const leaving = await browser.post(again.url)
  const end = await browser.follow(leaving)
  world.provider.calm()

  expect(again.locale).toBe('de')
  expect(languageOf(leaving).html).toEqual(['de', 'ltr'])
  expect(leaving.text).toContain('Weiter zu')
  expect(titleOf(end)).toBe('Einige Berechtigungen fehlen')
  expect(end.text).toContain('<strong>Was Sie tun können</strong>')
  expect(titleOf(await speaking('fr').get((await world.mintRelink(id, { locale: 'ja' })).url))).toMatch(/再連携/)
})

describe('a page that says what went wrong', () => {
  test('speaks the language of the browser', async () => {
    const page = await speaking('es').get(`${world.url}/connect/${'x'.repeat(43)}`)

    expect(page.status).toBe(410)
    expect(languageOf(page)).toEqual({ html: ['es', 'ltr'], header: 'es', vary: 'Accept-Language' })
    expect(titleOf(page)).toBe('Este enlace no funciona')
    expect(page.text).toContain('Qué puede hacer usted')
  })

  test.each([
    ['en', 'Go back to Acme'],
    ['de', 'Zurück zu Acme'],
    ['es', 'Regresar a Acme'],
    ['fr', 'Retourner sur Acme'],
    ['ja', 'Acme\u00a0に戻る'],
    ['pt-BR', 'Voltar para Acme'],
  ])('leads back to the tenant of an ended session, in %s', async (lang, label) => {
    const { id, url } = await world.mint()
    await world.api('POST', `/connect-sessions/${id}/cancel`)

    const page = await speaking(lang).get(url)

    expect(page.status).toBe(410)
    expect(page.text).toMatch(
      new RegExp(`href="https://acme\\.example/integrations/return\\?connect_session_id=${id}&amp;[^"]*">${label}</a>`),
    )
  })

  test('speaks the language of the session that the browser saw last', async () => {
    const browser = speaking('es')
    await browser.get((await world.mint({ locale: 'fr' })).url)

    expect(titleOf(await browser.get(`${world.url}/nowhere`))).toBe('Page introuvable')
  })

  test('tells who blocks cookies about cookies', async () => {
    const { url } = await world.mint()
    const browser = speaking('de')
    const atCallback = await browser.follow(await browser.post(url), `${world.url}/oauth/callback`)

    const page = await speaking('de').get(atCallback.url)

    expect(titleOf(page)).toBe('Wir erkennen diesen Browser nicht')
    expect(titleOf(await speaking('de').get(`${world.url}/links/lnk_1`))).toBe('Wir erkennen diesen Browser nicht')
  })

  test('speaks English in the console', async () => {
    const page = await speaking('de').get(`${world.url}/support/nowhere`)

    expect(languageOf(page).html).toEqual(['en', 'ltr'])
  })
})

describe('the API', () => {
  test('tells the language of a session, and nothing of it with the user', async () => {
    const created = await world.mint({ locale: 'pt-BR' })

    const { body } = await world.api('GET', `/connect-sessions/${created.id}`)

    expect(body.locale).toBe('pt-BR')
    expect(body.endUser).not.toHaveProperty('locale')
  })

  test.each(['', 'd', 'de_DE', 'x'.repeat(36)])('refuses %j as a language', async (locale) => {
    const body = {
      tenantId: 'acme',
      integrationId: 'provider',
      endUser: { id: 'u' },
      returnUrl: 'https://acme.example',
    }

    const { status, body: problem } = await world.api('POST', '/connect-sessions', { ...body, locale })

    expect(status).toBe(422)
    expect(problem.errors).toContainEqual({ pointer: '/locale', detail: expect.any(String) })
  })
})
