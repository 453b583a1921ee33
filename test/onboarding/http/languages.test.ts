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
    ['pt', 'Conectar o Provider ao Acme'],
    ['ja-JP', 'Provider\u00a0を Acme\u00a0と連携'],
    ['en-GB', 'Connect Provider to Acme'],
    ['it', 'Connect Provider to Acme'],
  ])('uses the language of the session: %s', async (locale, title) => {
    const { url } = await world.mint({ locale })

    expect(titleOf(await new HttpBrowser().get(url))).toBe(title)
  })

  test('uses the language of the browser if the session has none or an unsupported one', async () => {
    const [unnamed, unknown] = [await world.mint(), await world.mint({ locale: 'it' })]

    const page = await speaking('it;q=0.9, de-AT, en;q=0.5').get(unnamed.url)

    expect(titleOf(page)).toBe('Provider mit Acme verbinden')
    expect(languageOf(page)).toEqual({ html: ['de', 'ltr'], header: 'de', vary: 'Accept-Language' })
    expect(titleOf(await speaking('fr').get(unknown.url))).toBe('Connecter Provider à Acme')
  })

  test('uses its own language for translated texts, and marks the others', async () => {
    const { text } = await speaking('de').get((await world.mint()).url)

    expect(text).toContain('<span>Ihre Dateien sehen</span>')
    expect(text).toContain('<span lang="en">Walk your dog</span>')
  })

  test('shows its expiry only in the last five minutes', async () => {
    const open = async (ttlSeconds: number) => (await speaking('de').get((await world.mint({ ttlSeconds })).url)).text

    expect(await open(299)).toMatch(/Diese Seite läuft in \d+ Minuten ab\./)
    expect(await open(900)).not.toContain('Diese Seite läuft')
  })

  test('is right-to-left in right-to-left languages', async () => {
    const page = await new HttpBrowser().get((await world.mint({ locale: 'ar-XB' })).url)

    expect(languageOf(page).html).toEqual(['ar-XB', 'rtl'])
  })

  test('has no untranslatable text', async () => {
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

test('keeps the language on the way to the app, on the page of the link, and for the next re-link', async () => {
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
  expect(end.text).toContain('Versuchen Sie es erneut')
  expect(titleOf(await speaking('fr').get((await world.mintRelink(id, { locale: 'ja' })).url))).toMatch(/再連携/)
})

describe('an error page', () => {
  test('uses the language of the browser', async () => {
    const page = await speaking('es').get(`${world.url}/connect/${'x'.repeat(43)}`)

    expect(page.status).toBe(410)
    expect(languageOf(page)).toEqual({ html: ['es', 'ltr'], header: 'es', vary: 'Accept-Language' })
    expect(titleOf(page)).toBe('Este enlace no funciona')
    expect(page.text).toContain('Abra el enlace')
  })

  test.each([
    ['en', 'Back to Acme'],
    ['de', 'Zurück zu Acme'],
    ['es', 'Volver a Acme'],
    ['fr', 'Retour à Acme'],
    ['ja', 'Acme\u00a0に戻る'],
    ['pt-BR', 'Voltar para o Acme'],
  ])('links back to the tenant of an ended session, in %s', async (lang, label) => {
    const { id, url } = await world.mint()
    await world.api('POST', `/connect-sessions/${id}/cancel`)

    const page = await speaking(lang).get(url)

    expect(page.status).toBe(410)
    expect(page.text).toMatch(
      new RegExp(
        `href="https://acme\\.example/integrations/return\\?connect_session_id=${id}&amp;[^"]*" rel="noreferrer">${label}</a>`,
      ),
    )
  })

  test('uses the language of the browser’s last session', async () => {
    const browser = speaking('es')
    await browser.get((await world.mint({ locale: 'fr' })).url)

    expect(titleOf(await browser.get(`${world.url}/nowhere`))).toBe('Page introuvable')
  })

  test('explains blocked cookies', async () => {
    const { url } = await world.mint()
    const browser = speaking('de')
    const atCallback = await browser.follow(await browser.post(url), `${world.url}/oauth/callback`)

    const page = await speaking('de').get(atCallback.url)

    expect(titleOf(page)).toBe('Wir erkennen diesen Browser nicht')
    expect(titleOf(await speaking('de').get(`${world.url}/links/lnk_1`))).toBe('Wir erkennen diesen Browser nicht')
  })

  test('is in English in the console', async () => {
    const page = await speaking('de').get(`${world.url}/support/nowhere`)

    expect(languageOf(page).html).toEqual(['en', 'ltr'])
  })
})

describe('the API', () => {
  test('returns the language with the session, not with the user', async () => {
    const created = await world.mint({ locale: 'pt-BR' })

    const { body } = await world.api('GET', `/connect-sessions/${created.id}`)

    expect(body.locale).toBe('pt-BR')
    expect(body.endUser).not.toHaveProperty('locale')
  })

  test.each(['', 'd', 'de_DE', 'x'.repeat(36)])('rejects %j as a language', async (locale) => {
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
